"""Which functions come back, from control flow alone; and that it agrees with conditions."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from heapflow.guards.returning import Stop
from heapflow.support.collector import without_collector
from tests.guards.harness import Guarded

SOURCE = """
#include <stdlib.h>
void mark(int);
int unknown(void);
void stops(void) { mark(1); exit(2); }
void stops_two_calls_down(void) { stops(); mark(2); }
void stops_on_a_way(char *p) { if (!p) abort(); mark(3); }
void stops_by_a_callee(char *p) { mark(4); stops_on_a_way(p); }
void stops_on_both_ways(int n) { if (n) stops(); else abort(); mark(5); }
void returns(int n) { if (n) mark(6); else mark(7); }
void never_ends(void) { for (;;) mark(8); }
char *makes(void) { char *p = malloc(9); if (!p) stops(); return p; }
char *calls_a_maker(void) { return makes(); }
int calls_itself(int n) { return n > 0 ? calls_itself(n - 1) : unknown(); }
void one_of_two(int n);
void other_of_two(int n) { if (n) one_of_two(0); exit(1); }
void one_of_two(int n) { mark(n); other_of_two(n); }
int always_itself(int n) { return always_itself(n - 1); }
"""

EXPECTED = {
    "stops": Stop.NEVER_RETURNS,
    "stops_two_calls_down": Stop.NEVER_RETURNS,
    "stops_on_a_way": Stop.DEPENDS,
    "stops_by_a_callee": Stop.DEPENDS,
    "stops_on_both_ways": Stop.NEVER_RETURNS,
    "returns": Stop.ALWAYS_RETURNS,
    "never_ends": Stop.NEVER_RETURNS,
    "makes": Stop.DEPENDS,
    # What `makes` finds out about its own block tells its callers nothing.
    "calls_a_maker": Stop.ALWAYS_RETURNS,
    "calls_itself": Stop.ALWAYS_RETURNS,
    "one_of_two": Stop.NEVER_RETURNS,
    "other_of_two": Stop.NEVER_RETURNS,
    "always_itself": Stop.NEVER_RETURNS,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Guarded:
    return Guarded(SOURCE, Path(tmp_path_factory.mktemp("stops")))


@pytest.mark.parametrize("name", EXPECTED)
def test_whether_a_function_comes_back(found: Guarded, name: str) -> None:
    assert found.book.stop_of(found.func(name)) is EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_conditions_agree(found: Guarded, name: str) -> None:
    returns = found.book.guards(found.func(name)).returns
    match EXPECTED[name]:
        case Stop.NEVER_RETURNS:
            assert found.space.is_false(returns)
        case Stop.DEPENDS:
            assert not found.space.is_false(returns)
            assert not found.space.is_true(returns)
        case _:
            assert found.space.is_true(returns)


def test_the_collector_is_as_before() -> None:
    assert gc.isenabled()
    with pytest.raises(ValueError), without_collector():
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()
