"""Clients: what they assume is told, and who runs their calls under LeakSanitizer loses the block."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.ownership.config import OwnershipConfig
from heapflow.pipeline import analyse, analyse_files
from heapflow.report.finding import Confidence, Finding
from heapflow.report.wording import assumptions, headline
from heapflow.support.run import Run
from tests.leaks.sources import ROOT

# What a program does that makes the calls of a client; the names are those of the finding.
RUNS: dict[str, dict[tuple[str, ...], str]] = {
    "field_destructors.c": {
        ("song_new", "song_free"): 'song_free(song_new("a"));',
        ("film_new", "film_free"): 'film_free(film_new("a"));',
        ("reader_open", "reader_close"): 'reader_close(reader_open((void *)"abcdef", 5));',
        ("view_of_copy", "view_free"): 'view_free(view_of_copy("a"));',
        ("job_set_output", "job_cancel"): "struct job *j = calloc(1, sizeof *j);"
        'job_set_output(j, "a"); job_cancel(j);',
        ("job_set_output", "job_free"): "struct job *j = calloc(1, sizeof *j);"
        'job_set_output(j, "a"); job_free(j);',
        ("buffer_init", "buffer_done", "buffer_init"): "static struct buffer b;"
        'buffer_init(&b, "a"); buffer_done(&b); buffer_init(&b, "b");',
        ("stack_init", "stack_done", "stack_init"): "static struct stack s;"
        'stack_init(&s, "a"); stack_done(&s); stack_init(&s, "b");',
        ("document_begins", "document_ends", "document_begins"): "static struct listener l;"
        'document_begins(&l, "a"); document_ends(&l); document_begins(&l, "b");',
        ("careful_begins", "careful_ends", "careful_begins"): "static struct careful l;"
        'careful_begins(&l, "a"); careful_ends(&l); careful_begins(&l, "b");',
    },
    "dismantled_lists.c": {
        ("book_add", "book_clear"): 'static struct book b;book_add(&b, "a"); book_clear(&b);',
        ("bag_add", "bag_remove"): 'static struct bag b;bag_add(&b, "a"); bag_remove(&b, "a");',
        ("conf_add", "conf_clear"): "static struct conf c;"
        "c.limits.next = c.limits.prev = &c.limits;"
        'conf_add(&c, "a"); conf_clear(&c);',
        ("queue_push", "queue_shift"): "static struct queue q;"
        'queue_push(&q, "a"); queue_shift(&q);',
        ("server_add", "server_clear"): "static struct server s; TAILQ_INIT(&s.clients);"
        'server_add(&s, "a"); server_clear(&s);',
        ("alias_add", "aliases_clear"): 'alias_add("a"); aliases_clear();',
        ("request_add", "request_empty"): "static struct request r;"
        'request_add(&r, 1, "a"); request_empty(&r);',
    },
    "field_setters.c": {
        ("device_set_address", "device_set_address"): "static struct device d;"
        'device_set_address(&d, "a"); device_set_address(&d, "b");',
        ("reply_set_method", "reply_set_method"): "static struct reply r;"
        'reply_set_method(&r, "GET"); reply_set_method(&r, "HEAD");',
        ("reply_set_path", "reply_set_path"): "static struct reply r;"
        'reply_set_path(&r, "a"); reply_set_path(&r, "b"); reply_done(&r);',
        ("device_set_label", "device_set_label"): "static struct device d;"
        'device_set_label(&d, "a"); device_set_label(&d, "b");',
        (
            "lazy_scratch",
            "lazy_scratch",
        ): "static struct lazy l; lazy_scratch(&l); lazy_scratch(&l);",
    },
    "field_globals.c": {
        ("table_grow", "table_grow"): "table_grow(); table_grow();",
        ("other_grow", "other_grow"): "other_grow(); other_grow();",
        ("rule_parse", "rules_done"): 'rule_parse("a", "b"); rules_done();',
    },
}
CASES = [(file, calls) for file, runs in RUNS.items() for calls in runs]


def clients(name: str) -> dict[tuple[str, ...], Finding]:
    return {one.client: one for one in analyse_files([ROOT / name]) if one.client}


def loses(file: str, calls: tuple[str, ...], work: Path) -> bool:
    """Whether a program that makes the calls leaks, by LeakSanitizer."""
    source = work / "client.c"
    unseen = "void listen_to(void *a, on_text *b, on_close *c) {}" if "destr" in file else ""
    clear = "volatile char used[4096]; for (int i = 0; i < 4096; i++) used[i] = 0;"
    source.write_text(
        f'#include "{ROOT / file}"\n{unseen}\n'
        f"static void run(void) {{ {RUNS[file][calls]} }}\n"
        f"static void clear(void) {{ {clear} }}\n"
        "int main(void) { run(); clear(); return 0; }\n"
    )
    program = work / "client"
    command = ["gcc", "-O0", "-g", "-w", "-fsanitize=address", str(source), "-o", str(program)]
    subprocess.run(command, check=True, capture_output=True)
    env = {"ASAN_OPTIONS": "detect_leaks=1:exitcode=99"}
    done = subprocess.run([program], env=env, capture_output=True, timeout=60, check=False)
    assert done.returncode in (0, 99), done.stderr
    return done.returncode == 99


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc to run clients with")
@pytest.mark.parametrize(("file", "calls"), CASES, ids=lambda value: str(value))
def test_a_client_is_reported_exactly_if_running_it_leaks(
    file: str, calls: tuple[str, ...], tmp_path: Path
) -> None:
    assert (calls in clients(file)) == loses(file, calls, tmp_path)


def test_a_finding_says_what_it_assumes() -> None:
    found = clients("field_destructors.c")
    said = {calls: assumptions(finding) for calls, finding in found.items()}
    assert said["song_new", "song_free"] == ("`song_free` ends what `song_new` made",)
    again = "`buffer_init` may be called again after `buffer_done`"
    assert said["buffer_init", "buffer_done", "buffer_init"] == (again,)
    finding = found["song_new", "song_free"]
    assert finding.confidence is Confidence.MEDIUM
    assert headline(finding).endswith(", assuming that `song_free` ends what `song_new` made")
    twice = clients("field_setters.c")["device_set_address", "device_set_address"]
    assert assumptions(twice) == ("`device_set_address` may be called twice",)


def test_a_loop_assumes_nothing() -> None:
    found = [one for one in analyse_files([ROOT / "field_loops.c"]) if not one.client]
    assert {one.confidence for one in found} == {Confidence.HIGH}
    assert {one.lost.function for one in found} == {"options_read", "options_last"}


def test_clients_that_meet_a_bound_are_told_with_it() -> None:
    inputs = find_inputs([str(ROOT / "field_destructors.c")])
    short = Config(ownership=OwnershipConfig(most_steps=3))
    found = [one for one in analyse(inputs, short, Run()).findings if one.client]
    undecided = {one.client: one for one in found if not one.is_confirmed}
    assert undecided["song_new", "song_free"].bounds == ("steps of a path",)
    assert undecided["song_new", "song_free"].lost.function == "song_free"
    assert len({one.allocation for one in undecided.values()}) == len(undecided)


def test_a_struct_that_ends_while_a_field_is_set() -> None:
    found = clients("field_ended_while_set.c")
    assert set(found) == {("link_fill", "link_drop")}
    finding = found["link_fill", "link_drop"]
    assert assumptions(finding) == ("`link_drop` ends what `link_fill` made",)
    assert [step.text for step in finding.steps[:3:2]] == ["link_fill", "link_drop"]
