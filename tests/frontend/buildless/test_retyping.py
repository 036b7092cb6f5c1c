"""Types that were invented, corrected by what the compiler says of them."""

from __future__ import annotations

from heapflow.frontend.buildless.inventions import LONG, Inventions
from heapflow.frontend.buildless.messages import Complaint, Kind
from heapflow.frontend.buildless.retyping import Retyping


def _complaint(text: str, column: int) -> Complaint:
    return Complaint(kind=Kind.NOT_A_STRUCT, name="", file="a.c", line=1, column=column, text=text)


def test_the_member_in_front_of_a_dot_becomes_a_struct() -> None:
    source = "f(vp, &vp->group.order);"
    made = Inventions()
    made.variables["group"] = LONG
    one = _complaint("member reference base type 'long' is not a structure", source.index(".") + 1)
    assert Retyping(lambda _: source, made).retype(one)
    assert made.variables["group"] != LONG


def test_long_names_in_front_of_a_place_take_no_time() -> None:
    """Each letter of a word used to double the ways in which it can be split: two hundred of them
    would not end."""
    source = "a_long_name_of_a_function" * 200 + "(vp, &vp->group.order);"
    one = _complaint("member reference base type 'long' is not a structure", source.index(".") + 1)
    assert not Retyping(lambda _: source, Inventions()).retype(one)
