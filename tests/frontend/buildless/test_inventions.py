"""What is invented for libraries that are not installed: one mechanism per test."""

from __future__ import annotations

from heapflow.frontend.guesses import Guesses
from heapflow.frontend.inputs import Search, find_inputs
from heapflow.frontend.load import FrontendSettings, load_program

from ..conftest import Write


def guessed(write: Write, source: str, **others: str) -> Guesses:
    """What was guessed for one file; it has to compile."""
    write("LICENSE", "")
    for name, text in others.items():
        write(name.replace("__", "."), text)
    write("a.c", source)
    loaded = load_program(find_inputs(["."], search=Search.BUILDLESS), FrontendSettings())
    assert not loaded.failures
    ((_, guesses),) = loaded.guesses
    return guesses


def test_many_missing_headers(write: Write) -> None:
    many = "".join(f"#include <odd{n}.h>\n" for n in range(60))
    unused = "#if 0\n#include <never.h>\n#endif\n"
    unused += "#if __has_include(<asked.h>)\n#include <asked.h>\n#endif\n"
    guesses = guessed(write, many + unused + "int f(void) { return 1; }\n")
    assert len(guesses.invented) == 60
    assert not guesses.dropped


def test_types_before_what_follows_from_them(write: Write) -> None:
    guesses = guessed(
        write,
        """\
#include <odd.h>
struct own { odd_key key; struct odd_list list; enum odd_kind kind; };
static int has(odd_key key, void *more) { return key == ODD_KEY && more; }
int f(struct own *one) { odd_key key = one->key; return has(key, one) + sizeof(odd_key); }
int g(enum odd_kind kind, int (*h)(odd_key, void *)) { return kind ? h(1, 0) : has(2, 0); }
""",
    )
    assert guesses.dropped == ()
    assert guesses.macros == ("ODD_KEY",)
    assert guesses.types == ("odd_key",)


def test_macros_that_take_types(write: Write) -> None:
    guesses = guessed(
        write,
        """\
#include <odd.h>
struct item { int n; };
int f(struct odd_list *list)
{
    int sum = 0;
    struct item *one = odd_new(list, struct item);
    ODD_EACH(struct item *i, list) {
        sum += i->n;
    } ODD_END
    return sum + one->n;
}
""",
    )
    assert guesses.dropped == ()
    assert set(guesses.macros) >= {"odd_new", "ODD_EACH", "ODD_END"}


def test_results_of_functions_that_nothing_declares(write: Write) -> None:
    guesses = guessed(
        write,
        """\
#include <odd.h>
struct odd_pair { int a; };
int f(int n)
{
    struct odd_pair one = odd_make(n);
    one = odd_next(one);
    return one.a + odd_first(n)->size + odd_whole(n).size;
}
int g(int n) { auto it = odd_first(n); return it->size + it->rest.size; }
""",
    )
    assert guesses.dropped == ()


def test_what_standard_headers_have(write: Write) -> None:
    guesses = guessed(
        write,
        """\
#include <odd.h>
void *f(const char *name)
{
    printf("%" PRIu32 "%s\\n", 1u, name);
    return opendir(name);
}
""",
    )
    assert guesses.dropped == ()
    assert guesses.implicit == ()  # declared by their headers, or the result would be an `int`


def test_decorations_of_any_case(write: Write) -> None:
    guesses = guessed(
        write,
        "mod_export void f(void) { }\nstatic void __odd\ng(void) { }\nint h(void) { g(); return 1; }\n",
    )
    assert guesses.dropped == ()
    assert set(guesses.macros) == {"mod_export", "__odd"}


def test_declarations_that_clash(write: Write) -> None:
    guesses = guessed(
        write,
        """\
#include "own.h"
int use(void) { return early(1) != 0; }
_Bool early(int n) { return n; }
odd_function late;
int (*chosen)(void *) = late;
int late(void *p) { return p != 0; }
int make(struct odd *ctx, int n) { return ctx && n; }
""",
        own__h="int make(struct odd *ctx, int n);\n",
    )
    assert guesses.dropped == ()


def test_aliases_of_the_tree_are_kept(write: Write) -> None:
    """A type that is used before the header that defines it: saying it twice is no error."""
    guesses = guessed(
        write,
        '#include "use.h"\n#include "types.h"\nint f(u8 *p, own *q) { return *p + q->n; }\n',
        use__h="struct holder { u8 *first; own *second; };\n",
        types__h="typedef unsigned char u8;\nstruct own_s { int n; };\ntypedef struct own_s own;\n",
    )
    assert guesses.dropped == ()


def test_headers_with_the_name_of_another_projects(write: Write) -> None:
    """`<odd/debug.h>` is not the only `debug.h` of the tree."""
    guesses = guessed(
        write, "#include <odd/debug.h>\nint f(void) { return 1; }\n", debug__h="#error own\n"
    )
    assert guesses.invented == ("odd/debug.h",)


def test_comments_over_lines_that_go(write: Write) -> None:
    guesses = guessed(
        write,
        """\
struct own {
    odd $ bad; /* first
 * second $ line */
    int n;
};
int f(struct own *p) { return p->n; }
""",
    )
    assert guesses.dropped == ()


def test_templates_under_their_final_names(write: Write) -> None:
    guesses = guessed(
        write,
        """\
#include "config.h"
#if defined HAVE_UNISTD_H && VALUE_OF(1) < 2
int f(void) { return 1; }
#endif
""",
        config__h="#cmakedefine HAVE_UNISTD_H\n#cmakedefine WITH_ODD\n",
    )
    assert guesses.dropped == ()
    assert guesses.inactive == ()


def test_configuration_macros_with_a_prefix(write: Write) -> None:
    guesses = guessed(
        write,
        """\
#ifdef OWN_HAVE_SYS_UIO_H
#include <sys/uio.h>
#else
#error none
#endif
int f(struct iovec *v) { return v->iov_len > 1; }
""",
    )
    assert guesses.dropped == ()
    assert guesses.macros == ()
