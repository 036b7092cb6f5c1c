"""Effects as text: every form reads, writes and explains its mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapflow.models.effect_text import format_effect, parse_effect
from heapflow.models.model import (
    AccessPath,
    Alloc,
    AnyField,
    Arg,
    Args,
    Assign,
    Borrowed,
    Call,
    Comparison,
    CopyMemory,
    Drop,
    Effect,
    Ensures,
    Exit,
    FillMemory,
    Free,
    Give,
    Global,
    Hold,
    Inside,
    Keep,
    Member,
    ModelError,
    NoReturn,
    Null,
    Offset,
    Op,
    Pure,
    Realloc,
    Ref,
    Ret,
    ReturnsTwice,
    Root,
    Size,
    Step,
    Take,
    Unref,
    Value,
    Write,
)

RET = AccessPath(Ret())
ARG1, ARG2, ARG3 = (AccessPath(Arg(index)) for index in (1, 2, 3))
AT_ARG1 = AccessPath(Arg(1), (Offset(0),))
FIELDS_OF_ARG1 = AccessPath(Arg(1), (AnyField(),))

FORMS: list[tuple[str, Effect]] = [
    ("alloc ret", Alloc(RET, "f")),
    ("alloc ret size=arg1*arg2 zeroed", Alloc(RET, "f", Size((1, 2)), zeroed=True)),
    ("alloc ret size=arg3*4", Alloc(RET, "f", Size((3,), 4))),
    ("alloc *arg1 deep", Alloc(AT_ARG1, "f", deep=True)),
    ("alloc ret in arg1 family=pool", Alloc(RET, "pool", arena=ARG1)),
    ("free arg1", Free(ARG1, "f")),
    ("free arg1->* deep", Free(FIELDS_OF_ARG1, "f", deep=True)),
    ("free **arg1", Free(AccessPath(Arg(1), (Offset(0), Offset(0))), "f")),
    ("realloc arg1 into ret size=arg2", Realloc(ARG1, RET, "f", Size((2,)))),
    ("realloc *arg1", Realloc(AT_ARG1, AT_ARG1, "f")),
    ("ref arg1", Ref(ARG1, "f")),
    ("unref arg1", Unref(ARG1, "f")),
    ("hold arg1", Hold(ARG1, "f")),
    ("drop arg1", Drop(ARG1, "f")),
    ("take arg2 into arg1", Take(ARG2, ARG1)),
    ("take arg1", Take(ARG1)),
    ("give arg1", Give(ARG1, "f")),
    ("keep args3+", Keep(AccessPath(Args(3)))),
    ("write args2+", Write(AccessPath(Args(2)))),
    ("copy arg2 to arg1 size=arg3", CopyMemory(ARG2, ARG1, Size((3,)))),
    ("fill arg1 with arg2 size=arg3", FillMemory(ARG1, Arg(2), Size((3,)))),
    ("fill arg1 with 0", FillMemory(ARG1, 0)),
    ("ret = arg1", Assign(RET, ARG1)),
    ("ret = inside arg1", Assign(RET, Inside(ARG1))),
    ("ret = borrowed", Assign(RET, Borrowed())),
    ("ret = borrowed from arg1", Assign(RET, Borrowed(ARG1))),
    ("*arg1 = null", Assign(AT_ARG1, Null())),
    ("global.optarg = *arg1", Assign(AccessPath(Global("optarg")), AT_ARG1)),
    ("global = arg1", Assign(AccessPath(Global("")), ARG1)),
    ("arg1->next = arg2", Assign(AccessPath(Arg(1), (Member("next"),)), ARG2)),
    ("arg1->0->8 = arg2", Assign(AccessPath(Arg(1), (Offset(0), Offset(8))), ARG2)),
    ("call arg2(inside arg1, _, arg3)", Call(ARG2, (Inside(ARG1), None, ARG3))),
    ("call later arg1()", Call(ARG1, (), later=True)),
    ("noreturn", NoReturn()),
    ("noreturn unwind", NoReturn(Exit.UNWIND)),
    ("noreturn maybe", NoReturn(Exit.MAYBE)),
    ("returns-twice", ReturnsTwice()),
    ("pure", Pure()),
    ("ensures ret == -1", Ensures(Comparison(RET, Op.EQ, -1))),
]


@pytest.mark.parametrize(("text", "effect"), FORMS)
def test_every_form_reads_and_writes(text: str, effect: Effect) -> None:
    assert parse_effect(text, "f") == effect
    assert format_effect(effect, "f") == text


def test_conditions_are_joined_by_and() -> None:
    effect = parse_effect("alloc *arg1 when ret >= 0 and *arg1 == NULL", "f")
    assert effect == Alloc(
        AT_ARG1, "f", when=(Comparison(RET, Op.GE, 0), Comparison(AT_ARG1, Op.EQ, 0))
    )


def test_numbers_may_be_hexadecimal_and_negative() -> None:
    assert parse_effect("keep arg1 when arg2 == 0x10") == Keep(ARG1, (Comparison(ARG2, Op.EQ, 16),))
    assert parse_effect("ensures ret != -1") == Ensures(Comparison(RET, Op.NE, -1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alocc ret", "`alocc` is not an effect; did you mean `alloc`?"),
        ("alloc", "ends where a path such as `ret` or `arg1` should follow"),
        ("alloc result", "`result` is not a path"),
        ("alloc arg0", "`arg0` is not a path"),
        ("alloc ret zerod", "`zerod` is not expected here; did you mean `zeroed`?"),
        ("alloc ret size=n", "use arguments and numbers"),
        ("free arg1 size=arg2", "`size` is not expected here"),
        ("keep arg1 family=f", "`family` is not expected here"),
        ("ret = arg1 if ret", "`if` is not expected here"),
        ("free arg1 when ret = 0", "`=` is not one of == != < <= > >="),
        ("free arg1 when ret == zero", "a number or NULL should be"),
        ("copy arg1 into arg2", "found `into` where `to` should be"),
        ("noreturn sometimes", "use `noreturn`, `noreturn unwind`"),
        ("arg1->a.b = arg2", "a field is a name, a byte offset, or `*`"),
        ("free arg1; free arg2", "cannot read `; free arg2`"),
        ("keep args3", "`+`"),
    ],
)
def test_mistakes_are_explained(text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_effect(text, "f")
    assert message in str(caught.value)


def test_an_allocation_needs_a_family() -> None:
    with pytest.raises(ModelError, match="no family: add `family=NAME`"):
        parse_effect("alloc ret")


_names = st.from_regex(r"[a-z][a-z0-9_]{0,7}", fullmatch=True)
_roots: st.SearchStrategy[Root] = st.one_of(
    st.just(Ret()),
    st.builds(Arg, st.integers(1, 12)),
    st.builds(Args, st.integers(1, 12)),
    st.builds(Global, st.one_of(st.just(""), _names, st.just("libc.tls"))),
)
_steps: st.SearchStrategy[Step] = st.one_of(
    st.builds(Offset, st.integers(0, 64)), st.builds(Member, _names), st.just(AnyField())
)
_paths = st.builds(AccessPath, _roots, st.lists(_steps, max_size=4).map(tuple))
_values: st.SearchStrategy[Value] = st.one_of(
    _paths,
    st.builds(Inside, _paths),
    st.builds(Borrowed, st.one_of(st.none(), _paths)),
    st.just(Null()),
)
_comparisons = st.builds(Comparison, _paths, st.sampled_from(Op), st.integers(-(2**31), 2**31 - 1))
_when = st.lists(_comparisons, max_size=3).map(tuple)
_sizes = st.one_of(
    st.none(),
    st.builds(Size, st.lists(st.integers(1, 9), max_size=3).map(tuple), st.integers(1, 99)),
)
_families = st.sampled_from(["f", "malloc", "stdio"])
_effects: st.SearchStrategy[Effect] = st.one_of(
    st.builds(
        Alloc,
        _paths,
        _families,
        _sizes,
        st.booleans(),
        st.booleans(),
        st.one_of(st.none(), _paths),
        _when,
    ),
    st.builds(Free, _paths, _families, st.booleans(), _when),
    st.builds(Realloc, _paths, _paths, _families, _sizes, _when),
    st.builds(Ref, _paths, _families, _when),
    st.builds(Unref, _paths, _families, _when),
    st.builds(Hold, _paths, _families, _when),
    st.builds(Drop, _paths, _families, _when),
    st.builds(Take, _paths, st.one_of(st.none(), _paths), _when),
    st.builds(Give, _paths, _families, _when),
    st.builds(Keep, _paths, _when),
    st.builds(Assign, _paths, _values, _when),
    st.builds(Write, _paths, _when),
    st.builds(CopyMemory, _paths, _paths, _sizes, _when),
    st.builds(
        FillMemory,
        _paths,
        st.one_of(st.integers(0, 255), st.builds(Arg, st.integers(1, 9))),
        _sizes,
        _when,
    ),
    st.builds(
        Call,
        _paths,
        st.lists(st.one_of(st.none(), _values), max_size=4).map(tuple),
        st.booleans(),
        _when,
    ),
    st.builds(NoReturn, st.sampled_from(Exit), _when),
    st.sampled_from([ReturnsTwice(), Pure()]),
    st.builds(Ensures, _comparisons, _when),
)


@given(_effects)
def test_what_is_written_reads_back(effect: Effect) -> None:
    assert parse_effect(format_effect(effect, "f"), "f") == effect
    assert parse_effect(format_effect(effect)) == effect
