"""Of a losing path that was found: whether there is a better one, and where else the block is lost.

In:    a search that goes on from where it stopped.     Out: paths that rest on less that was made up,
after which the program does not end, on which less has to be decided; further places of the loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.models.model import ResourceKind
from heapflow.replay.ending import Endings
from heapflow.replay.events import End
from heapflow.replay.grounds import Weight
from heapflow.replay.hunt import Candidate
from heapflow.replay.inquiry import Inquiry
from heapflow.replay.lostat import place_of_loss
from heapflow.replay.matters import Matters
from heapflow.replay.passedcalls import Refined
from heapflow.replay.search import Found, Search
from heapflow.replay.state import State

Path = tuple[State, Matters]


class OtherPaths:
    """Asked about one candidate."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._knowledge, self._config, self._spent = (
            inquiry.knowledge,
            inquiry.config,
            inquiry.spent,
        )
        self._grounds, self._calls = inquiry.grounds, inquiry.calls
        self._endings = Endings(inquiry.knowledge, inquiry.config)

    def better(
        self, candidate: Candidate, search: Search, found: Found, matters: Matters
    ) -> tuple[Found, Matters]:
        """If decisions rest on what was made up behind a global, or on an argument that is NULL,
        perhaps another path needs none of that."""
        best, weight, kept = found, self._grounds.weight(found, matters), matters
        for other, mattering in self._others(search) if any(weight) else ():
            other_weight = self._grounds.weight(other, mattering)
            if other_weight < weight and self._is_no_less(candidate, search, other, best):
                best, weight, kept = other, other_weight, mattering
            if not any(weight):
                break
        search.go_back_to(best)
        return best, kept

    def lasting(self, candidate: Candidate, search: Search, matters: Matters) -> Path | None:
        """If the program ends after the path that was found, perhaps it goes on after another one."""
        found = search.found
        if found.state is None:
            return None
        weight = self._grounds.weight(found, matters)
        for other, mattering in self._others(search):
            assert other.state is not None
            if self._ends_after(candidate, search, other):
                continue
            if self._grounds.weight(other, mattering) > weight:
                continue
            calls = frozenset(self._calls.rested_on(mattering, other.state, search.hunt.enter))
            path = Refined(other, search, mattering)
            if not calls or self._calls.can_come_back(candidate, path, calls):
                return other.state, mattering
        search.go_back_to(found)
        return None

    def plainer(self, candidate: Candidate, search: Search, state: State, matters: Matters) -> Path:
        """Of a path on which much is decided, perhaps there is one on which less has to be."""
        found, grounds = search.found, self._grounds
        if found.state is not state:
            return state, matters
        decided = grounds.decisions(matters)
        if decided <= self._config.most_plain_decisions:
            return state, matters
        before = search.executor.steps
        other = search.resume(self._config.most_other_steps)
        self._spent.since(before, search.executor)
        if other is not None and other.state is not None:
            weight, mattering = grounds.weight(found, matters), Matters(search, other.state)
            is_plainer = grounds.weight(other, mattering) <= weight
            is_plainer = is_plainer and grounds.decisions(mattering) < decided
            is_plainer = is_plainer and not self._rested_on(search, other.state, mattering)
            if is_plainer and self._is_no_less(candidate, search, other, found):
                search.go_back_to(other)
                return other.state, mattering
        search.go_back_to(found)
        return state, matters

    def elsewhere(
        self, candidate: Candidate, search: Search, matters: Matters, told: int
    ) -> tuple[int, ...]:
        """Further places at which the block is lost, on paths that are worth no less than the one that
        is told."""
        weight, found = self._grounds.weight(search.found, matters), list[int]()
        left = self._config.most_elsewhere_steps
        while left > 0 and len(found) < self._config.most_elsewhere:
            search.hunt.known = frozenset((told, *found))
            before = search.executor.steps
            other = search.resume(left)
            loss = other.state.loss if other is not None and other.state is not None else None
            is_good = other is not None and self._is_as_good(candidate, search, other, weight)
            if loss is not None and is_good:
                found.append(place_of_loss(self._knowledge, loss))
            left -= self._spent.since(before, search.executor)
            if loss is None:
                break
        else:
            self._spent.left_out.add("further places of a loss")
        return tuple(sorted(found))

    def ends_soon(self, candidate: Candidate, search: Search, state: State) -> bool:
        """Whether the program ends soon after the loss. What `main` holds until it returns is lost at
        exit in any program."""
        if not candidate.is_loss or candidate.script or search.found.end is not End.RETURNED:
            return False
        found = self._ends_behind(search, state)
        self._spent.left_out |= self._endings.cut_off
        return found

    def _ends_behind(self, search: Search, state: State) -> bool:
        start, loss = search.start, state.loss
        assert loss is not None
        is_main = self._knowledge.program.func_name(start) == "main"
        if is_main and loss.depth == 1:
            if self._returns(loss.instr):
                return True
            if self._knowledge.brevity.works() or self._is_closed_by_system(state):
                return self._endings.nothing_follows(state)
            return False
        return self._endings.come_after(start, state)

    def _others(self, search: Search) -> Iterator[tuple[Found, Matters]]:
        """Further paths, within a bound of steps for all of them."""
        left = self._config.most_other_steps * self._config.most_other_paths
        for _ in range(self._config.most_other_paths):
            before = search.executor.steps
            other = search.resume(left) if left > 0 else None
            left -= self._spent.since(before, search.executor)
            if other is None or other.state is None:
                return
            yield other, Matters(search, other.state)
        self._spent.left_out.add("other paths")

    def _rested_on(self, search: Search, state: State, matters: Matters) -> set[int]:
        return self._calls.rested_on(matters, state, search.hunt.enter)

    def _is_as_good(
        self, candidate: Candidate, search: Search, other: Found, weight: Weight
    ) -> bool:
        """Whether another path loses the block for good, and rests on no call that may be entered."""
        if other.state is None:
            return False
        matters = Matters(search, other.state)
        if other.state.failed or self._grounds.weight(other, matters) > weight:
            return False
        if self._ends_after(candidate, search, other):
            return False
        return not self._rested_on(search, other.state, matters)

    def _is_no_less(self, candidate: Candidate, search: Search, other: Found, found: Found) -> bool:
        """Whether a path loses the block for as long as another one: a program may be about to end."""
        if not self._ends_after(candidate, search, other):
            return True
        return self._ends_after(candidate, search, found)

    def _ends_after(self, candidate: Candidate, search: Search, found: Found) -> bool:
        assert found.state is not None
        search.go_back_to(found)
        return self.ends_soon(candidate, search, found.state)

    def _is_closed_by_system(self, state: State) -> bool:
        """Whether the end of the process releases the block for good, and nobody calls that a fault."""
        assert state.loss is not None
        block = state.objects.get(state.loss.obj)
        family = self._knowledge.models.families.get(block.family) if block is not None else None
        return family is not None and family.kind in (ResourceKind.DESCRIPTOR, ResourceKind.FILE)

    def _returns(self, instr: int) -> bool:
        block = self._knowledge.instr_block[instr]
        code = self._knowledge.code(self._knowledge.func_of(instr))
        return block in code.exits() and code.blocks[block].instrs[-1].id == instr
