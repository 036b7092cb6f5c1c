"""Replay a candidate: confirmed, refuted, none within the bound of turns, or not confirmed.

In:    Knowledge, ReplayConfig, a candidate of stage 1.     Out: `Replayed`.
Paper: SMOKE §V-VI: cheap candidates first, exact checks for the few that remain.
First, calls that do not touch the block are passed. If a path is found whose conditions rest on
what such a call returned or wrote, that call is entered and the search begins anew, until they rest
on inputs alone.
Guarantees: the answer depends on the candidate alone, not on the order or the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from heapflow.models.model import ResourceKind
from heapflow.replay.answer import Outcome, Replayed, Severity
from heapflow.replay.client import RESULT, ClientCall, Given
from heapflow.replay.config import ReplayConfig
from heapflow.replay.ending import Endings
from heapflow.replay.executor import BLURRED
from heapflow.replay.externals import call_in
from heapflow.replay.farfetched import strain
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.lostat import place_of_loss
from heapflow.replay.matters import Matters
from heapflow.replay.memory import Kind
from heapflow.replay.names import names_in
from heapflow.replay.path import LosingPath, tell_path
from heapflow.replay.plausible import Plausible
from heapflow.replay.search import Found, Search
from heapflow.replay.solver import Solver
from heapflow.replay.state import End, EventKind, LostBy, State
from heapflow.replay.whence import (
    is_behind_global,
    is_further_or_global,
    is_given,
    is_in_block,
)

# What was found with calls on which it rests, and which are not entered.
_Taken = tuple[Found, Search, Matters, frozenset[int]]
_Inner = tuple[State, frozenset[int]] | None  # a path, and the calls that are entered on it
_MADE = (EventKind.ALLOCATED, EventKind.FAILED, EventKind.FREED)


class Replayer:
    """All questions about one candidate."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig, candidate: Candidate) -> None:
        self.knowledge, self.config, self.candidate = knowledge, config, candidate
        self.steps = self.rounds = self.solved = 0
        self.left_out: set[str] = set()
        self.hurried = self.glimpsed = False
        self.most_search_steps = config.most_search_steps
        if not candidate.is_loss:
            self.most_search_steps = config.most_misuse_steps
        self.solver = Solver.bounded(config, knowledge.answers)
        self.search: Search | None = None
        self.matters: Matters | None = None  # of the path that was found last
        self.endings = Endings(knowledge, config)
        self.goes_beyond = False  # what the language leaves undefined
        self._mattered: set[int] = set()  # conditions that did, on some path

    def run(self) -> Replayed:
        """The answer, with the path if there is one."""
        if self.config.scouts:
            return self._scouted()
        if self.candidate.script:
            return self._by_client()
        found = self._outwards(may_fail=False)
        if found.state is not None:
            return self._confirmed(found.state)
        exits, cuts = found.at_exit, found.cuts
        if exits is not None:
            return self._confirmed(exits, Severity.AT_EXIT)
        beyond = self._beyond(cuts)
        if beyond is not None:
            return beyond
        most_steps = self.config.most_fail_steps if "steps" in cuts else self.most_search_steps
        if most_steps and not self._is_spent():
            self.most_search_steps = min(self.most_search_steps, most_steps)
            found = self._outwards(may_fail=True)
            path = found.state or found.at_exit
            if path is not None:
                return self._confirmed(path)
        return self._open(cuts | found.cuts)

    def _beyond(self, cuts: set[str]) -> Replayed | None:
        """A loss on paths that use a released block, if all paths that have the block do: what the
        language leaves undefined does not keep a program from going on. A block that is released or
        handed on otherwise is refuted."""
        if self.search is None or not self.candidate.is_loss:
            return None
        hunt = self.search.hunt
        if cuts or not hunt.was_misused or hunt.was_handed or hunt.was_released:
            return None
        self.goes_beyond = True
        found = self._outwards(may_fail=False)
        self.goes_beyond = False
        path = found.state or found.at_exit
        return None if path is None else self._confirmed(path)

    def _scouted(self) -> Replayed:
        """One search, and if nothing is found one with an allocation that fails: whether more pays."""
        cuts: set[str] = set()
        for may_fail in (False, True):
            search = Search(
                self.knowledge, self.config, self.candidate, frozenset(), may_fail, self.solver
            )
            found = search.run(self.most_search_steps)
            self.steps += found.steps
            self.solved += found.solved
            cuts |= found.cuts
            self.glimpsed = found.state is not None or found.at_exit is not None or found.unwound
            self.glimpsed |= search.hunt.was_misused or bool(self._holding(search, found))
            self.hurried = self.glimpsed or bool(cuts)
            if self.hurried:
                return self._answer(Outcome.NOT_CONFIRMED, bounds=tuple(sorted(cuts)))
        return self._open(cuts)

    def _open(self, cuts: set[str]) -> Replayed:
        """No path was found."""
        if not cuts:
            return self._answer(Outcome.REFUTED)
        if cuts == {"turns"}:
            return self._answer(Outcome.NONE_WITHIN, bounds=("turns",))
        return self._answer(Outcome.NOT_CONFIRMED, bounds=tuple(sorted(cuts)))

    # Clients --------------------------------------------------------------------------------------

    def _by_client(self) -> Replayed:
        """Calls in the order of a script. If the path rests on what the object they share was like
        at first, it must also be found with an object that some function of the program made."""
        found = self._refined(may_fail=False)
        if found.state is None:
            return self._open(found.cuts)
        if self._rests_on_shape() or self._rests_on_copy():
            return self._open({"invented contents of an argument"})
        answer = self._confirmed(found.state)
        if not self._rests_on_shared():
            return answer
        plain, cuts = self.candidate, set[str]()
        for maker in plain.makers:
            self.candidate = _made_first(plain, maker)
            found = self._refined(may_fail=False)
            if found.state is not None:
                return self._confirmed(found.state)
            cuts |= found.cuts
        return self._open(cuts) if plain.makers else answer

    def _rests_on_shape(self) -> bool:
        """Of calls that share a global only: whether decisions rest on where pointers lead that lie
        behind their arguments or behind globals. Such a structure is made up, and has nothing to do
        with the block."""
        assert self.search is not None
        if any(call.arguments for call in self.candidate.script):
            return False
        executor = self.search.executor
        held = {str(executor.terms.by_number[number].args[0]) for number in executor.pointers}
        return self._any_matters(
            self.matters,
            lambda name: name in held and name[:1] == "*" and is_further_or_global(name),
        )

    def _rests_on_copy(self) -> bool:
        """Whether a later call decides by a number that lay behind an argument of an earlier one,
        other than the object they share, or by a global that no call set: what such numbers go with is
        not known. Of a destructor, also by where pointers lead behind its other arguments."""
        matters, shared = self.matters, f"argument{self.candidate.shared}["
        if matters is None or len(self.candidate.script) == 1:
            return False  # one call alone has no earlier one
        executor, loss = matters.search.executor, matters.state.loss
        held = {str(executor.terms.by_number[number].args[0]) for number in executor.pointers}
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

        about = self._about(matters, is_copied)
        later = [number for number in about if matters.stage(number) > self.candidate.stage]
        return any(self._does(matters, number) for number in later)

    def _rests_on_shared(self) -> bool:
        shared = f"argument{self.candidate.shared}["
        return self._any_matters(
            self.matters,
            lambda name: name[:1] == "*" and name.lstrip("*").startswith((shared, "@")),
        )

    # Callers that are known ----------------------------------------------------------------------

    def _outwards(self, may_fail: bool) -> Found:
        """A path that also a caller can take, where its decisions rest on what callers give."""
        self.candidate = replace(self.candidate, outwards=())
        found = self._refined(may_fail)
        inner, search, matters = found, self.search, self.matters
        for _ in range(self.config.farthest_caller):
            path = found.state or found.at_exit
            if path is None and not found.unwound:
                return found
            if path is not None and not self._any_matters(self.matters, is_given):
                return found
            further = self._from_callers(may_fail)
            if further is None:
                if not self.candidate.is_loss and self._callers():
                    return Found(cuts={"steps"})
                break
            if path is None and not (further.state or further.at_exit):
                return found
            if further.state is None and further.at_exit is None:
                # Who is to blame for a misuse is who calls: one of those that are known has to do it.
                if not further.cuts or not self.candidate.is_loss or self._is_invented(matters):
                    return further
                if self._rests_on_global_pointer(matters) or _is_in_unread(path):
                    return further
                break
            if inner.state is not None and further.state is None and further.cuts:
                break  # whether the program ends in any case was not found out
            found, inner, search, matters = further, further, self.search, self.matters
        self.search, self.matters = search, matters
        if self._is_invented(matters):
            return Found(cuts={"invented contents of a global"})
        path = inner.state or inner.at_exit
        if path is not None and not self.candidate.is_loss and self._is_made_up(path, matters):
            return Found(cuts={"invented contents of the block"})
        return inner

    def _from_callers(self, may_fail: bool) -> Found | None:
        """What a search comes to that begins in a caller; None: callers are not known."""
        outwards, calls = self.candidate.outwards, self._callers()
        if not calls or self._is_spent():
            return None
        cuts: set[str] = set()
        if len(calls) > self.config.most_callers:
            cuts.add("callers")
        inner = self._path_of_misuse()
        for call in calls[: self.config.most_callers]:
            self.candidate = replace(self.candidate, outwards=(call, *outwards))
            found = self._refined(may_fail, inner)
            if found.state is not None or found.at_exit is not None:
                return found
            cuts |= found.cuts
        return Found(cuts=cuts)

    def _path_of_misuse(self) -> _Inner:
        """The path whose conditions a caller has to give, and the calls that were entered for it: what
        it rests on there, it rests on again. A loss may have another path from a caller."""
        if self.candidate.is_loss or self.search is None:
            return None
        path = self.search.found.state
        return None if path is None else (path, self.search.hunt.enter)

    def _callers(self) -> list[int]:
        """Calls of the function in which the last search began, if all of them are known."""
        outwards = self.candidate.outwards
        func = self.knowledge.func_of(outwards[0]) if outwards else self.candidate.func
        return self.knowledge.callers(func)

    def _is_spent(self) -> bool:
        """Whether the candidate's steps are used up, so that something is not asked."""
        is_spent = self.steps >= self.config.most_steps
        self.hurried = self.hurried or is_spent
        return is_spent

    def _is_invented(self, matters: Matters | None) -> bool:
        """Whether decisions rest on memory behind a pointer that a global of the program's own holds:
        what it looks like there was made up. What a library's variable leads to (`optarg`) is not the
        program's to build."""
        others = self.knowledge.library_variables
        return self._any_matters(
            matters,
            lambda name: is_behind_global(name) and name.lstrip("*@").split("[")[0] not in others,
        )

    def _is_made_up(self, path: State, matters: Matters | None) -> bool:
        """Whether the candidate itself says that decisions on these unknowns mean little."""
        if matters is None or matters.search.executor.from_main:
            return False
        executor, names = matters.search.executor, []
        for number in range(len(matters.choices)):
            if self._does(matters, number):
                names += names_in(executor, matters.choices[number])
        told = matters.search.hunt.told
        held = {str(executor.terms.by_number[number].args[0]) for number in executor.pointers}
        if any(name in held and is_in_block(name) for name in names):
            return True
        return not told.isdisjoint(names) or self.candidate.made_up(path, names)

    def _rests_on_global_pointer(self, matters: Matters | None) -> bool:
        """Whether decisions rest on where a global points to, NULL included: callers that are known
        would have to make it so."""
        if matters is None:
            return False
        executor = matters.search.executor
        held = {str(executor.terms.by_number[number].args[0]) for number in executor.pointers}
        return self._any_matters(matters, lambda name: name[:1] == "@" and name in held)

    def _any_matters(self, matters: Matters | None, is_meant: Callable[[str], bool]) -> bool:
        """Whether some decision that matters rests on an unknown that is meant."""
        if matters is None or matters.search.executor.from_main:
            return False
        about = self._about(matters, is_meant)
        return any(self._does(matters, number) for number in about)

    def _about(self, matters: Matters, is_meant: Callable[[str], bool]) -> list[int]:
        """Choices that rest on an unknown that is meant, the last one first."""
        executor = matters.search.executor
        return [
            number
            for number in range(len(matters.choices) - 1, -1, -1)
            if any(map(is_meant, names_in(executor, matters.choices[number])))
        ]

    def _does(self, matters: Matters, number: int) -> bool:
        """Whether a choice matters; trying it the other way takes steps. What mattered on another path
        of the candidate is taken to matter on this one; what is told is asked of its own path."""
        condition = matters.choices[number]
        if condition in self._mattered and matters.is_near(number):
            return True
        executor = matters.search.executor
        before = executor.steps
        found = matters.does(number)
        self.steps += executor.steps - before
        if found:
            self._mattered.add(condition)
        return found

    def _confirmed(self, state: State, severity: Severity = Severity.LASTING) -> Replayed:
        assert self.search is not None
        if state.failed:
            severity = Severity.ALLOCATION_FAILS
        elif self.candidate.is_loss and severity is Severity.LASTING and self._ends_soon(state):
            lasting = self._with_lasting_path(self.search)
            severity = Severity.AT_EXIT if lasting is None else severity
            state = lasting or state
        state = self._with_plainer_path(self.search, state)
        assert self.matters is not None
        path = tell_path(self.search, state, self.matters.told())
        if severity is Severity.LASTING and self.candidate.is_loss and not self.candidate.script:
            path = replace(path, elsewhere=self._elsewhere(self.search, path.lost_at))
        return self._answer(Outcome.CONFIRMED, severity, path=path)

    def _elsewhere(self, search: Search, told: int) -> tuple[int, ...]:
        """Further places at which the block is lost, on paths that are worth no less than the one that
        is told."""
        weight, found = self._weight(search.found), list[int]()
        left = self.config.most_elsewhere_steps
        while left > 0 and len(found) < self.config.most_elsewhere:
            search.hunt.known = frozenset((told, *found))
            before = search.executor.steps
            other = search.resume(left)
            loss = other.state.loss if other is not None and other.state is not None else None
            if other is not None and loss is not None and self._is_as_good(search, other, weight):
                found.append(place_of_loss(self.knowledge, loss))
            left -= search.executor.steps - before
            self.steps += search.executor.steps - before
            if loss is None:
                break
        return tuple(sorted(found))

    def _is_as_good(self, search: Search, other: Found, weight: tuple[bool, int]) -> bool:
        """Whether another path loses the block for good, and rests on no call that may be entered."""
        assert other.state is not None
        self.matters = Matters(search, other.state)
        if other.state.failed or self._weight(other) > weight or self._ends_after(search, other):
            return False
        return not self._rests_on(search, other.state, search.hunt.enter)

    def _ends_soon(self, state: State) -> bool:
        """Whether the program ends soon after the loss. What `main` holds until it returns is lost at
        exit in any program."""
        assert self.search is not None and state.loss is not None
        start, loss = self.search.start, state.loss
        if self.candidate.script or self.search.found.end is not End.RETURNED:
            return False
        endings = self.endings
        is_main = self.knowledge.program.func_name(start) == "main"
        if is_main and loss.depth == 1:
            if self._returns(loss.instr):
                return True
            if self.knowledge.brevity.works() or self._is_closed_by_system(state):
                return endings.nothing_follows(state)
            return False
        return endings.come_after(start, state)

    def _is_closed_by_system(self, state: State) -> bool:
        """Whether the end of the process releases the block for good, and nobody calls that a fault."""
        assert state.loss is not None
        block = state.objects.get(state.loss.obj)
        family = self.knowledge.models.families.get(block.family) if block is not None else None
        return family is not None and family.kind in (ResourceKind.DESCRIPTOR, ResourceKind.FILE)

    def _returns(self, instr: int) -> bool:
        block = self.knowledge.instr_block[instr]
        code = self.knowledge.code(self.knowledge.func_of(instr))
        return block in code.exits() and code.blocks[block].instrs[-1].id == instr

    def _answer(
        self,
        outcome: Outcome,
        severity: Severity = Severity.LASTING,
        bounds: tuple[str, ...] = (),
        path: LosingPath | None = None,
    ) -> Replayed:
        counts = self.steps, self.rounds, self.solved
        if self.search is not None:  # asking which decisions matter met bounds, too
            self.left_out |= self.search.executor.left_out
        return Replayed(
            outcome,
            severity,
            bounds,
            path,
            *counts,
            hurried=self.hurried,
            glimpsed=self.glimpsed,
            left_out=tuple(sorted(self.left_out)),
        )

    # Calls that matter ---------------------------------------------------------------------------

    def _refined(self, may_fail: bool, inner: _Inner = None) -> Found:
        """Search, enter the calls that the answer rests on, search again."""
        # The path that was found last, and the calls that were entered for it.
        like, enter = inner if inner is not None else (None, frozenset[int]())
        rounds = 0
        taken: _Taken | None = None
        before: tuple[Found, Search, Matters] | None = None
        picks = False
        while True:
            rounds += 1
            self.rounds += 1
            search = self.search = Search(
                self.knowledge, self.config, self.candidate, enter, may_fail, self.solver, like
            )
            search.executor.goes_beyond, search.executor.picks = self.goes_beyond, picks
            most = self._steps_left(refines=rounds > 1)
            is_deep = self.candidate.is_loss and not may_fail
            found = search.run(most, self.config.most_late_steps if is_deep else 0)
            self.steps += found.steps
            self.hurried = self.hurried or "steps" in found.cuts
            self.solved += found.solved
            self.left_out |= found.left_out
            path = found.state or found.at_exit
            self.matters = None
            if path is None:
                more = self._holding(search, found) - enter
                if more and before is None and rounds < self.config.most_rounds:
                    enter |= more
                    continue
                if before is not None and found.cuts:
                    # A bound kept us from seeing where the block is from: it was found without.
                    found, self.search, self.matters = before
                elif taken is not None and found.cuts - {"turns"}:
                    found = self._as_taken(taken) or found
                return found
            self.glimpsed = True
            self.matters = Matters(search, path)
            found = self._with_other_path(search, found)
            path = found.state or found.at_exit
            assert path is not None
            more, before = self._rests_on(search, path, enter), None
            if not more:
                more = self._origin(search, path) - enter
                before = found, search, self.matters
            if not more and not picks and self._rests_on_blurred(search):
                picks, like, before = True, path, None
                continue
            if not more:
                return found
            is_spent = self._steps_left(refines=True) <= 0
            self.hurried = self.hurried or is_spent
            taken = found, search, self.matters, frozenset(more)
            if rounds >= self.config.most_rounds or is_spent:
                return self._as_taken(taken) or Found(cuts={"rounds"})
            enter, like = enter | more, path

    def _rests_on_blurred(self, search: Search) -> bool:
        """Whether decisions rest on data at an index that is not known: it was taken to be anything."""
        blurred, matters = search.executor.blurred, self.matters
        assert matters is not None
        about = self._about(
            matters, lambda name: name in blurred or name.startswith(f"smear:{BLURRED}")
        )
        return any(self._does(matters, number) for number in about)

    def _holding(self, search: Search, found: Found) -> set[int]:
        """Passed calls that are entered to see whether what holds the block is known to anybody."""
        if "steps" in found.cuts or not self.candidate.is_loss or self.candidate.script:
            return set()
        return set(search.hunt.calls_holding(self.knowledge))

    def _as_taken(self, taken: _Taken) -> Found | None:
        """A path that rests on calls which a bound kept us from entering: each of them, executed alone,
        can come back as the path takes it."""
        found, search, matters, calls = taken
        path = found.state or found.at_exit
        is_meant = self.candidate.is_loss and not self.candidate.script
        if path is None or not is_meant or not self.config.most_alone_steps:
            return None
        if path.loss is not None and path.objects[path.loss.obj].number:
            return None  # which numbers are free goes with what the callee did
        names: set[str] = set()
        for number, condition in enumerate(matters.choices):
            about = names_in(search.executor, condition)
            of_calls = {one for one in about if call_in(search.executor, one) in calls}
            if of_calls and self._does(matters, number):
                names |= of_calls
        plausible = Plausible(self.knowledge, self.config)
        is_possible = plausible.are(search.executor, path, calls, names)
        self.steps += plausible.steps
        if not is_possible:
            return None
        self.search, self.matters = search, matters
        return found

    def _steps_left(self, refines: bool) -> int:
        """For the next search. A path to a misuse that was found, and rests on less and less as calls
        are entered, is worth more than the search for one."""
        is_near = refines and not self.candidate.is_loss
        most = self.config.most_refined_steps if is_near else self.config.most_steps
        return min(most - self.steps, self.most_search_steps)

    def _with_other_path(self, search: Search, found: Found) -> Found:
        """If decisions rest on what was made up behind a global, or on an argument that is NULL,
        perhaps another path needs none of that."""
        best, weight = found, self._weight(found)
        kept = self.matters
        for other in self._others(search) if any(weight) else ():
            assert other.state is not None
            self.matters = Matters(search, other.state)
            other_weight = self._weight(other)
            if other_weight < weight and self._is_no_less(search, other, best):
                best, weight, kept = other, other_weight, self.matters
            if not any(weight):
                break
        search.go_back_to(best)
        self.matters = kept
        return best

    def _with_lasting_path(self, search: Search) -> State | None:
        """If the program ends after the path that was found, perhaps it goes on after another one."""
        kept, found = self.matters, search.found
        if found.state is None or kept is None:
            return None
        weight = self._weight(found)
        for other in self._others(search):
            assert other.state is not None
            if self._ends_after(search, other):
                continue
            matters = self.matters = Matters(search, other.state)
            if self._weight(other) > weight:
                continue
            calls = frozenset(self._rests_on(search, other.state, search.hunt.enter))
            if not calls or self._as_taken((other, search, matters, calls)) is not None:
                return other.state
        search.go_back_to(found)
        self.matters = kept
        return None

    def _others(self, search: Search) -> Iterator[Found]:
        """Further paths, within a bound of steps for all of them."""
        left = self.config.most_other_steps * self.config.most_other_paths
        for _ in range(self.config.most_other_paths):
            before = search.executor.steps
            other = search.resume(left) if left > 0 else None
            self.steps += search.executor.steps - before
            left -= search.executor.steps - before
            if other is None or other.state is None:
                return
            yield other

    def _with_plainer_path(self, search: Search, state: State) -> State:
        """Of a path on which much is decided, perhaps there is one on which less has to be."""
        kept, found = self.matters, search.found
        if found.state is not state or kept is None:
            return state
        decided = self._decisions(kept)
        if decided <= self.config.most_plain_decisions:
            return state
        before = search.executor.steps
        other = search.resume(self.config.most_other_steps)
        self.steps += search.executor.steps - before
        if other is not None and other.state is not None:
            weight, self.matters = self._weight(found), Matters(search, other.state)
            is_plainer = self._weight(other) <= weight and self._decisions(self.matters) < decided
            is_plainer = is_plainer and not self._rests_on(search, other.state, search.hunt.enter)
            if is_plainer and self._is_no_less(search, other, found):
                search.go_back_to(other)
                return other.state
        search.go_back_to(found)
        self.matters = kept
        return state

    def _is_no_less(self, search: Search, other: Found, found: Found) -> bool:
        """Whether a path loses the block for as long as another one: a program may be about to end."""
        return not self._ends_after(search, other) or self._ends_after(search, found)

    def _ends_after(self, search: Search, found: Found) -> bool:
        assert found.state is not None
        search.go_back_to(found)
        return self.candidate.is_loss and self._ends_soon(found.state)

    def _decisions(self, matters: Matters) -> int:
        """How many choices matter on a path."""
        before = matters.search.executor.steps
        count = len(matters.all())
        self.steps += matters.search.executor.steps - before
        return count

    def _weight(self, found: Found) -> tuple[bool, int]:
        """How much of what matters on a path was made up."""
        if found.state is None or self.matters is None:
            return False, 0
        matters, executor = self.matters, self.matters.search.executor
        total = 0
        if found.state.strain:
            for number, (state, choice) in enumerate(matters.stops()):
                cost = strain(executor, state, executor.terms.by_number[choice])
                total += cost if cost and self._does(matters, number) else 0
        return self._is_invented(matters), total

    def _rests_on(self, search: Search, state: State, enter: frozenset[int]) -> set[int]:
        """Passed calls with a body whose unknowns the decisions that matter speak of, and those that
        may not come back; those that are entered already are not asked about."""
        assert self.matters is not None
        executor = search.executor
        found = {call for call in self._may_end(state) if self._is_new(call, enter)}
        for number in range(len(self.matters.choices) - 1, -1, -1):
            named = {call_in(executor, n) for n in names_in(executor, self.matters.choices[number])}
            new = {call for call in named - found if call is not None and self._is_new(call, enter)}
            if new and self._does(self.matters, number):
                found |= new
        return found

    def _is_new(self, call: int, enter: frozenset[int]) -> bool:
        return call not in enter and self._can_be_entered(call)

    def _origin(self, search: Search, state: State) -> set[int]:
        """The passed call that gave the block of which the path tells, if it has a body."""
        assert state.loss is not None
        block = state.objects.get(state.loss.obj)
        if block is None or block.kind is not Kind.WORLD:
            return set()
        call = call_in(search.executor, block.name)
        return {call} if call is not None and self._can_be_entered(call) else set()

    def _may_end(self, state: State) -> Iterable[int]:
        """Calls that were passed while the block was there, and may end the process."""
        made = False
        for event in state.events():
            if event.kind is EventKind.LOST:
                return
            made = made or event.kind in _MADE
            if made and event.kind is EventKind.PASSED and event.detail >= 0:
                touches = self.knowledge.touches(event.detail)
                if touches.ends and self.knowledge.size(event.detail) <= self.config.ending_callee:
                    yield event.instr

    def _can_be_entered(self, call: int) -> bool:
        return self.knowledge.has_known_callee(call)


def _is_in_unread(path: State | None) -> bool:
    """Whether a global still leads to the block: from a caller's view it may be there until the end."""
    return path is not None and path.loss is not None and path.loss.in_unread


def _made_first(candidate: Candidate, maker: int) -> Candidate:
    """The same script, for an object that a function of the program makes."""
    moved = [
        ClientCall(
            call.func, tuple((at, replace(one, call=one.call + 1)) for at, one in call.arguments)
        )
        for call in candidate.script
    ]
    moved[0] = ClientCall(moved[0].func, ((candidate.shared, Given(0, RESULT)),))
    script = (ClientCall(maker), *moved)
    return replace(candidate, script=script, stage=candidate.stage + 1)
