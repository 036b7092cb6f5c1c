"""What a finding tells: where the last pointer goes, what held it, and the decisions that matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.pipeline import analyse_files
from heapflow.report.finding import Finding, LostBy, Rule, StepKind

HEAD = "#include <stdlib.h>\n#include <string.h>\n"


def _only(tmp_path: Path, text: str) -> Finding:
    file = tmp_path / "test.c"
    file.write_text(HEAD + text)
    (finding,) = analyse_files([file])
    return finding


def _branches(finding: Finding) -> list[tuple[str, str | None]]:
    return [(step.text, step.taken) for step in finding.steps if step.kind is StepKind.BRANCH]


def _lost_line(finding: Finding) -> str:
    return Path(finding.lost.file).read_text().splitlines()[finding.lost.line - 1].strip()


def test_only_decisions_that_matter(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """int f(const char *s, int n, int m) {
             if (m > 7) s++;
             char *p = strdup(s);
             if (!p) return -1;
             for (int i = 0; i < n; i++) m += s[i];
             if (n == 3) return 1;
             free(p);
             return m;
           }""",
    )
    assert finding.rule is Rule.CONDITIONAL_LEAK
    # Turns of the loop are what makes `n` 3 on this path; `m > 7` and `!p` have no part in it.
    assert _branches(finding)[-1] == ("n == 3", "true")
    assert {text for text, _ in _branches(finding)} == {"i < n", "n == 3"}
    assert _lost_line(finding) == "if (n == 3) return 1;"


def test_never_freed_needs_no_decision(tmp_path: Path) -> None:
    finding = _only(
        tmp_path, "int f(int n) { char *p = malloc(4); if (n) return p != NULL; return 0; }"
    )
    assert finding.rule is Rule.NEVER_FREED
    assert _branches(finding) == []


def test_turns_of_a_loop_are_told(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """int f(int n) {
             char *p = NULL;
             for (int i = 0; i < n; i++) p = malloc(4);
             free(p);
             return n;
           }""",
    )
    assert (finding.rule, finding.lost_by) == (Rule.OVERWRITTEN, LostBy.LOOP)
    assert set(_branches(finding)) == {("i < n", "true")}
    assert finding.steps[-1].kind is StepKind.LOST
    assert finding.steps[-1].text == finding.variable == "p"


def test_the_first_block_is_replaced_inside_the_loop(tmp_path: Path) -> None:
    file = tmp_path / "test.c"
    file.write_text(
        HEAD
        + """int f(int n) {
               char *p = malloc(4);
               while (n-- > 0)
                 p = malloc(8);
               free(p);
               return n;
             }"""
    )
    first, second = analyse_files([file])
    assert first.allocation.line < second.allocation.line
    assert _lost_line(first) == _lost_line(second) == "p = malloc(8);"


def test_a_turn_ends_the_scope_of_its_variables(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """int f(int n) {
             int odd = 0;
             for (int i = 0; i < n; i++) {
               char *p = malloc(4);
               if (i % 2) {
                 odd++;
                 continue;
               }
               free(p);
             }
             return odd;
           }""",
    )
    assert (finding.rule, finding.lost_by) == (Rule.CONDITIONAL_LEAK, LostBy.END_OF_SCOPE)
    assert _lost_line(finding) == "continue;"
    assert _branches(finding)[-1] == ("i % 2", "true")


@pytest.mark.parametrize(
    ("reset", "body"),
    [
        ("", "p = NULL;"),
        ("static void reset(char **p) { *p = NULL; }", "reset(&p);"),
        (
            "static void set(char **p) { *p = NULL; } static void reset(char **p) { set(p); }",
            "reset(&p);",
        ),
    ],
)
def test_who_replaces_the_last_pointer(tmp_path: Path, reset: str, body: str) -> None:
    finding = _only(
        tmp_path,
        f"""{reset}
            int f(const char *s) {{
              char *p = strdup(s);
              {body}
              free(p);
              return 0;
            }}""",
    )
    assert (finding.rule, finding.lost_by) == (Rule.OVERWRITTEN, LostBy.OVERWRITTEN)
    assert finding.variable == "p"


def test_moved_by_a_call_is_not_replaced(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """static void swap(char **a, char **b) { char *t = *a; *a = *b; *b = t; }
           int f(const char *s) {
             char *a = strdup(s), *b = NULL;
             swap(&a, &b);
             free(a);
             if (s[0]) free(b);
             return 0;
           }""",
    )
    assert (finding.rule, finding.lost_by) == (Rule.CONDITIONAL_LEAK, LostBy.RETURN)


def test_lost_before_main_returns(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """int main(int argc, char **argv) {
             for (int i = 0; i < argc; i++) {
               char *turn = strdup(argv[i]);
               if (i == 3) continue;
               free(turn);
             }
             return 0;
           }""",
    )
    assert (finding.rule, finding.lost_by) == (Rule.CONDITIONAL_LEAK, LostBy.END_OF_SCOPE)


@pytest.mark.parametrize(
    "test",
    ["s == NULL || n > 7", "s == NULL || s->fd < 0", "s->next == NULL || n > 7"],
)
def test_an_argument_that_is_null_is_the_last_resort(tmp_path: Path, test: str) -> None:
    """Most callers give no NULL, so another test that loses the block says more."""
    finding = _only(
        tmp_path,
        f"""struct chat {{ int fd; struct chat *next; }};
           int f(struct chat *s, int n) {{
             char *p = malloc(10);
             if (!p) return -1;
             if ({test}) return -1;
             free(p);
             return 0;
           }}""",
    )
    assert _branches(finding)[-1] == (test.split(" || ")[1], "true")


def test_an_argument_that_has_to_be_null(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """int f(char *s, int n) {
             char *p = malloc(10);
             if (!p) return -1;
             if (s == NULL) return -1;
             while (n-- > 0) s[n] = *p;
             free(p);
             return 0;
           }""",
    )
    assert _branches(finding) == [("s == NULL", "true")]


def test_printing_hardly_ever_fails(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """#include <stdio.h>
           int f(char *buf, size_t n, const char *a) {
             char *p = malloc(10);
             if (!p) return -1;
             int len = snprintf(buf, n, "%s/", a);
             if (len < 0 || (size_t)len >= n) return -1;
             free(p);
             return 0;
           }""",
    )
    assert ("(size_t)len >= n", "true") in _branches(finding)


@pytest.mark.parametrize(
    "test",
    [
        'snprintf(buf, sizeof buf, "%s.x", a) >= (int)sizeof buf || n < 3',
        "strlen(a) > 200 || n < 3",
        "strlen(a) >= sizeof buf || n < 3",
    ],
)
def test_a_text_that_does_not_fit_is_the_last_resort(tmp_path: Path, test: str) -> None:
    finding = _only(
        tmp_path,
        f"""#include <stdio.h>
           #include <string.h>
           int f(const char *a, int n) {{
             char buf[200], *p = malloc(10);
             if (!p) return -1;
             if ({test}) return -1;
             free(p);
             return buf[0];
           }}""",
    )
    assert _branches(finding) == [("n < 3", "true")]


def test_a_text_that_has_to_be_long(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """#include <string.h>
           int f(const char *a) {
             char *p = malloc(10);
             if (!p) return -1;
             if (strlen(a) > 200) return -1;
             free(p);
             return 0;
           }""",
    )
    assert _branches(finding) == [("strlen(a) > 200", "true")]


def test_a_callee_that_defends_itself(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """struct chat { struct chat *parent; char *queue; };
           static int send(struct chat *chat, char *text) {
             if (chat == NULL || chat->queue == NULL) return 0;
             chat->queue = text;
             return 1;
           }
           int f(struct chat *c) {
             return send(c->parent, malloc(10));
           }""",
    )
    assert ("chat->queue == NULL", "true") in _branches(finding)


LOG = """#include <stdarg.h>
         #include <stdio.h>
         static int level = 2;
         void set_level(int n) { level = n; }
         static void note(int severity, const char *fmt, ...) {
           char text[400], more[400];
           va_list ap;
           if (severity > level) return;
           va_start(ap, fmt);
           vsnprintf(text, sizeof text, fmt, ap);
           va_end(ap);
           for (int i = 0; i < 300; i++) more[i] = text[299 - i] ^ text[i];
           fprintf(stderr, "%s %s", text, more);
           if (severity < 0) exit(1);
         }
      """


def test_what_a_call_does_that_the_loss_does_not_need(tmp_path: Path) -> None:
    """The other way of a choice in it takes longer than a try; the call passed loses the block, too."""
    finding = _only(
        tmp_path,
        LOG
        + """int f(const char *name) {
               char *p = strdup(name);
               if (strlen(name) > 7) { note(3, "long: %s", name); return -1; }
               free(p);
               return 0;
             }""",
    )
    assert [text for text, _ in _branches(finding)] == ["strlen(name) > 7"]
    assert StepKind.CALL not in {step.kind for step in finding.steps}


def test_a_call_on_whose_result_the_loss_rests_is_told(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        LOG
        + """static int bad(int n) { if (n < 9) return 0; note(3, "%d", n); return 1; }
             int f(const char *name, int n) {
               char *p = strdup(name);
               if (bad(n)) return -1;
               free(p);
               return 0;
             }""",
    )
    assert ("n < 9", "false") in _branches(finding)
    assert "severity > level" not in {text for text, _ in _branches(finding)}


def test_a_callee_that_gives_null(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """#include <stdio.h>
           static FILE *stream(const char *name) {
             FILE *f = fopen(name, "r");
             if (!f) return NULL;
             setbuf(f, NULL);
             return f;
           }
           int f(const char *name) {
             char *p = strdup(name);
             FILE *in;
             if ((in = stream(name)) == NULL) return -1;
             fclose(in);
             free(p);
             return 0;
           }""",
    )
    assert _branches(finding)[-1] == ("(in = stream(name)) == NULL", "true")


def test_variable_arguments_are_there_until_the_function_returns(tmp_path: Path) -> None:
    finding = _only(
        tmp_path,
        """#include <stdarg.h>
           #include <stdio.h>
           static int put(char *out, const char *fmt, ...) {
             va_list ap;
             const char *rest = fmt;
             if (!rest) return -1;
             rest = NULL;
             va_start(ap, fmt);
             int n = vsnprintf(out, 9, fmt, ap);
             va_end(ap);
             return n;
           }
           int f(char *out, const char *s) { return put(out, "%s", strdup(s)); }""",
    )
    assert finding.rule is Rule.NEVER_FREED
    assert _lost_line(finding) == "return n;"
