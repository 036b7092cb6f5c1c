"""Programs that share files: a call means functions that are linked with the active ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from heapflow.replay.programs import Programs

SHARED, CLIENT, SERVER, LONE = range(4)  # functions, each in a module of its own
CLIENT_LINK, SERVER_LINK = 7, 8  # names of the programs that are linked


@pytest.fixture
def programs() -> Programs:
    targets = [[CLIENT_LINK, SERVER_LINK], [CLIENT_LINK], [SERVER_LINK], []]
    starts = np.cumsum([0, *map(len, targets)])
    program: Any = SimpleNamespace(
        modules=SimpleNamespace(
            target_start=starts, target=np.array([one for each in targets for one in each])
        ),
        functions=SimpleNamespace(module=np.arange(len(targets))),
    )
    return Programs(program)


def test_a_callback_is_one_of_the_program_that_runs(programs: Programs) -> None:
    assert list(programs.together([CLIENT, SERVER], [SERVER, SHARED])) == [SERVER]
    assert list(programs.together([CLIENT, SERVER], [SHARED, CLIENT])) == [CLIENT]


def test_shared_functions_say_nothing_of_it(programs: Programs) -> None:
    assert list(programs.together([CLIENT, SERVER], [SHARED])) == [CLIENT, SERVER]


def test_what_is_linked_nowhere_goes_with_everything(programs: Programs) -> None:
    assert list(programs.together([CLIENT, SERVER, LONE], [SERVER, LONE])) == [SERVER, LONE]


def test_where_no_program_has_all_nothing_is_left_out(programs: Programs) -> None:
    assert list(programs.together([SHARED, CLIENT], [CLIENT, SERVER])) == [SHARED, CLIENT]
