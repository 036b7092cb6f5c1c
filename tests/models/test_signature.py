"""C prototypes: arity, pointers, constness."""

from __future__ import annotations

import pytest

from heapflow.models.model import FunctionModel, ModelError, Signature
from heapflow.models.signature import (
    declared_name,
    format_signature,
    parse_signature,
    split_declarations,
)


def read(text: str, **pointer_types: bool) -> Signature:
    signature = parse_signature(text, pointer_types)
    assert signature is not None
    return signature


@pytest.mark.parametrize(
    ("text", "name", "pointers", "consts", "result"),
    [
        ("void *malloc(size_t n)", "malloc", [False], [False], True),
        ("int rand(void)", "rand", [], [], False),
        ("int f()", "f", [], [], False),
        ("char *strchr(const char *s, int c)", "strchr", [True, False], [True, False], True),
        ("long strtol(const char *, char **, int)", "strtol", [1, 1, 0], [1, 0, 0], False),
        ("int execv(const char *, char *const *)", "execv", [1, 1], [1, 1], False),
        ("int execv2(const char *, char *const argv[])", "execv2", [1, 1], [1, 1], False),
        ("int pipe(int fd[2])", "pipe", [True], [False], False),
        ("unsigned long long f(const char **p)", "f", [True], [False], False),
        ("struct hostent *g(const struct in_addr *a)", "g", [True], [True], True),
        (
            "void qsort(void *, size_t, size_t, int (*)(const void *, const void *))",
            "qsort",
            [1, 0, 0, 1],
            [0, 0, 0, 1],
            False,
        ),
        ("void f(char *restrict to, const char * restrict from)", "f", [1, 1], [0, 1], False),
    ],
)
def test_prototypes(
    text: str, name: str, pointers: list[int], consts: list[int], result: bool
) -> None:
    signature = read(text)
    assert declared_name(text) == name
    assert [param.pointer for param in signature.params] == [bool(p) for p in pointers]
    assert [param.const_pointee for param in signature.params] == [bool(c) for c in consts]
    assert signature.result.pointer is result
    assert parse_signature(format_signature(name, signature)) == signature


def test_variable_arguments() -> None:
    signature = read("int printf(const char *format, ...)")
    assert signature.variadic
    assert len(signature.params) == 1
    assert read("void *any(...)").variadic


def test_typedefs_of_pointers_are_listed() -> None:
    signature = read("gpointer f(gconstpointer a, gpointer b)", gpointer=False, gconstpointer=True)
    assert signature.result.pointer
    assert [param.const_pointee for param in signature.params] == [True, False]


def test_a_bare_name_has_no_signature() -> None:
    assert declared_name("xmalloc") == "xmalloc"
    assert parse_signature("xmalloc") is None


def test_declarations_are_separated_by_semicolons() -> None:
    text = "int a(void); // not this: int c(void);\nint b(void);\n"
    assert list(split_declarations(text)) == ["int a(void)", "int b(void)"]


@pytest.mark.parametrize("text", ["int f(int,, int)", "int f(..., int)", "f(int)", "int f(int"])
def test_what_is_not_a_prototype_is_refused(text: str) -> None:
    with pytest.raises(ModelError):
        parse_signature(text)


@pytest.mark.parametrize("text", ["(*f)(int)", "3 + 4", "int (*signal(int))(int)"])
def test_what_has_no_name_is_refused(text: str) -> None:
    with pytest.raises(ModelError):
        name = declared_name(text)
        parse_signature(text)
        raise AssertionError(name)


def test_accepts_and_written_args() -> None:
    model = FunctionModel("f", read("int f(char *, const char *, int *, ...)"), ())
    assert model.written_args == (1, 3)
    assert [model.accepts(count) for count in (2, 3, 4)] == [False, True, True]
    assert FunctionModel("g", None, ()).accepts(7)
