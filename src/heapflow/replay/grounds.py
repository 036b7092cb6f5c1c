"""What the decisions on a losing path rest on: made up, given by callers, or read at an unknown index.

In:    `Matters`, the names of unknowns.     Out: whether decisions that matter rest on some of them.
What mattered on one path of a candidate is taken to matter on its others.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.addresses import BLURRED
from heapflow.replay.control import Cut
from heapflow.replay.decisions import model_with
from heapflow.replay.events import LostBy
from heapflow.replay.executor import Executor
from heapflow.replay.farfetched import strain
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.matters import Matters
from heapflow.replay.names import names_in
from heapflow.replay.search import Found
from heapflow.replay.spent import Spent
from heapflow.replay.state import State
from heapflow.replay.term import Term
from heapflow.replay.whence import is_behind_global, is_further_or_global, is_in_block

Weight = tuple[int, int]  # how much is invented; how far-fetched it is
_NOTHING, _NUMBERS, _SHAPE = range(3)  # of what lies behind globals


class Grounds:
    """Asked about the paths of one candidate."""

    def __init__(self, knowledge: Knowledge, spent: Spent) -> None:
        self._knowledge, self._spent = knowledge, spent
        self._mattered: set[int] = set()  # conditions that did, on some path

    def does(self, matters: Matters, number: int) -> bool:
        """Whether a choice matters; trying it the other way takes steps. What mattered on another path
        of the candidate is taken to matter on this one; what is told is asked of its own path."""
        condition = matters.choices[number]
        if condition in self._mattered and matters.is_near(number):
            return True
        executor = matters.search.executor
        before = executor.steps
        found = matters.does(number)
        self._spent.since(before, executor)
        if found:
            self._mattered.add(condition)
        return found

    def any_matters(self, matters: Matters | None, is_meant: Callable[[str], bool]) -> bool:
        """Whether some decision that matters rests on an unknown that is meant."""
        if matters is None or matters.search.executor.from_main:
            return False
        about = _about(matters, is_meant)
        return any(self.does(matters, number) for number in about)

    def is_at_once(self, matters: Matters | None) -> bool:
        """Whether a misuse follows whenever the path comes to the release: nothing that is decided from
        there on could be otherwise, but for the process to end. What was decided before only says
        whether the release is ever reached."""
        if matters is None or not matters.search.candidate.is_sure:
            return False
        executor = matters.search.executor
        before = executor.steps
        is_at_once = matters.is_at_once()
        self._spent.since(before, executor)
        return is_at_once

    def decisions(self, matters: Matters) -> int:
        """How many choices matter on a path."""
        executor = matters.search.executor
        before = executor.steps
        count = len(matters.all())
        self._spent.since(before, executor)
        return count

    def weight(self, found: Found, matters: Matters | None) -> Weight:
        """How much of what matters on a path was made up."""
        if found.state is None or matters is None:
            return _NOTHING, 0
        executor, total = matters.search.executor, 0
        if found.state.strain:
            for number, (state, choice) in enumerate(matters.stops()):
                cost = strain(executor, state, executor.terms.by_number[choice])
                total += cost if cost and self.does(matters, number) else 0
        return self._invented(matters), total

    # What was made up ----------------------------------------------------------------------------

    def is_invented(self, matters: Matters | None) -> bool:
        """Whether decisions rest on where pointers lead that lie behind a pointer which a global of the
        program's own holds: the shape of what is there was made up. Numbers there are settings and
        counts: where a block is lost, they may be anything, but for a count below 0. What a library's
        variable leads to (`optarg`) is not the program's to build."""
        return self._invented(matters) == _SHAPE

    def _invented(self, matters: Matters | None) -> int:
        """How much of it: of several paths, one without such numbers is told."""
        if matters is None:
            return _NOTHING
        others, held = self._knowledge.library_variables, _held(matters.search.executor)

        def is_there(name: str) -> bool:
            return is_behind_global(name) and name.lstrip("*@").split("[")[0] not in others

        if not self.any_matters(matters, is_there) or self.is_at_once(matters):
            return _NOTHING
        if not matters.search.candidate.is_loss or self._needs_negative(matters, is_there):
            return _SHAPE
        is_shape = self.any_matters(matters, lambda name: is_there(name) and name in held)
        return _SHAPE if is_shape else _NUMBERS

    def _needs_negative(self, matters: Matters, is_meant: Callable[[str], bool]) -> bool:
        """Whether a path exists only if some number that is meant, and matters, is below 0."""
        executor, state = matters.search.executor, matters.state
        terms, wanted = executor.terms, []
        for number in [] if executor.from_main else _about(matters, is_meant):
            numbers = [
                terms.by_number[one]
                for one in sorted(terms.by_number[matters.choices[number]].atoms)
            ]
            about = [one for one in numbers if one.width > 8 and is_meant(str(one.args[0]))]
            if about and self.does(matters, number):
                wanted += [terms.negate(terms.slt(one.width, one, 0)) for one in about]
        condition = executor.settled(state, terms.conjunction(wanted)) if wanted else 1
        if not isinstance(condition, Term):
            return not condition
        try:
            return model_with(executor, state, condition) is None
        except Cut:
            return True

    def is_made_up(self, candidate: Candidate, path: State, matters: Matters | None) -> bool:
        """Whether the candidate itself says that decisions on these unknowns mean little."""
        if matters is None or matters.search.executor.from_main:
            return False
        executor, names = matters.search.executor, []
        for number in range(len(matters.choices)):
            if self.does(matters, number):
                names += names_in(executor, matters.choices[number])
        told, held = matters.search.hunt.told, _held(executor)
        is_made_up = any(name in held and is_in_block(name) for name in names)
        is_made_up = is_made_up or not told.isdisjoint(names) or candidate.made_up(path, names)
        return is_made_up and not self.is_at_once(matters)

    def rests_on_global_pointer(self, matters: Matters | None) -> bool:
        """Whether decisions rest on where a global points to, NULL included: callers that are known
        would have to make it so."""
        if matters is None:
            return False
        held = _held(matters.search.executor)
        return self.any_matters(matters, lambda name: name[:1] == "@" and name in held)

    def rests_on_blurred(self, matters: Matters) -> bool:
        """Whether decisions rest on data at an index that is not known: it was taken to be anything."""
        blurred = matters.search.executor.blurred
        about = _about(matters, lambda name: name in blurred or name.startswith(f"smear:{BLURRED}"))
        return any(self.does(matters, number) for number in about)

    # What the calls of a client share ------------------------------------------------------------

    def rests_on_shape(self, candidate: Candidate, matters: Matters) -> bool:
        """Of calls that share a global only: whether decisions rest on where pointers lead that lie
        behind their arguments or behind globals. Such a structure is made up, and has nothing to do
        with the block."""
        if any(call.arguments for call in candidate.script):
            return False
        held = _held(matters.search.executor)
        return self.any_matters(
            matters,
            lambda name: name in held and name[:1] == "*" and is_further_or_global(name),
        )

    def rests_on_copy(self, candidate: Candidate, matters: Matters) -> bool:
        """Whether a later call decides by a number that lay behind an argument of an earlier one,
        other than the object they share, or by a global that no call set: what such numbers go with is
        not known. Of a destructor, also by where pointers lead behind its other arguments."""
        shared, loss = f"argument{candidate.shared}[", matters.state.loss
        if len(candidate.script) == 1:
            return False  # one call alone has no earlier one
        held = _held(matters.search.executor)
        ends = loss is not None and loss.by is LostBy.RELEASE

        def is_copied(name: str) -> bool:
            plain = name.lstrip("*")
            is_text = name.endswith(":1]")
            if plain[:1] == "@" and name not in held:
                return True
            if ends and name in held and name[:1] == "*" and plain.startswith("further"):
                return True
            behind = name[:1] == "*" and plain.startswith("argument")
            return behind and not (plain.startswith(shared) or name in held or is_text)

        about = _about(matters, is_copied)
        later = [number for number in about if matters.stage(number) > candidate.stage]
        return any(self.does(matters, number) for number in later)

    def rests_on_shared(self, candidate: Candidate, matters: Matters) -> bool:
        """Whether decisions rest on what the object that they share was like at first."""
        shared = f"argument{candidate.shared}["
        return self.any_matters(
            matters,
            lambda name: name[:1] == "*" and name.lstrip("*").startswith((shared, "@")),
        )


def _about(matters: Matters, is_meant: Callable[[str], bool]) -> list[int]:
    """Choices that rest on an unknown that is meant, the last one first."""
    executor = matters.search.executor
    return [
        number
        for number in range(len(matters.choices) - 1, -1, -1)
        if any(map(is_meant, names_in(executor, matters.choices[number])))
    ]


def _held(executor: Executor) -> set[str]:
    """Names of the unknowns that are pointers."""
    return {str(executor.terms.by_number[number].args[0]) for number in executor.pointers}
