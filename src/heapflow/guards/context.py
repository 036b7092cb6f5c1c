"""What all functions' guards share: the program as lists, Boolean variables and their meaning.

Each part answers for itself and is made once: what is asked of one changes no other. What grows as
functions are looked at is in `variables` (which comparisons there are) and `known` (what is certain of
single terms).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from heapflow.guards.code import Code
from heapflow.guards.config import GuardLimits
from heapflow.guards.counters import Counters
from heapflow.guards.external import Externals, ModelSource
from heapflow.guards.fresh import FreshValues
from heapflow.guards.initial import InitialValues
from heapflow.guards.knownterms import KnownTerms
from heapflow.guards.returning import Returning
from heapflow.guards.stored import Stored
from heapflow.guards.theory import Theory
from heapflow.guards.variables import Variables
from heapflow.guards.writes import CallWrites
from heapflow.ir.ids import FuncId, InstrId
from heapflow.ir.program import Program
from heapflow.logic.space import GuardSpace
from heapflow.policies.inforce import Policies
from heapflow.policies.passed_on_is_there import NullTests

_REMEMBERED_PER_INSTRUCTION: Final = 16  # results of operations on conditions


class GuardContext:
    """Made once per program."""

    def __init__(
        self,
        program: Program,
        limits: GuardLimits | None = None,
        models: ModelSource | None = None,
        callees: Mapping[InstrId, tuple[FuncId, ...]] | None = None,
        policies: Policies | None = None,
    ) -> None:
        self.program = program
        self.code = Code(program)
        self.policies = policies or Policies()
        # Bounds.
        self.limits = limits or GuardLimits()
        self.limits_hit: Counter[str] = Counter()
        self.check: Callable[[], None] = _nothing  # ends a run that has used what it may
        self.nesting = 0  # values and conditions that are being made, each for the one before
        # Conditions.
        work = _REMEMBERED_PER_INSTRUCTION * len(program.instrs)
        self.space = GuardSpace(self.limits, self.limits_hit, work)
        self.known = KnownTerms(self.policies)
        self.variables = Variables(self.space, self.known)
        self.null_tests = NullTests(self.policies, self.space)
        self.theory = Theory(
            self.variables, self.space, self.limits.most_constants, self.limits_hit
        )
        # What functions, values and memory are, each found when it is first asked for.
        self.has_models = models is not None
        self.externals = Externals(program, models)
        self.initial = InitialValues(program)
        self.fresh = FreshValues(self)
        self.counters = Counters(self)
        self.returning = Returning(self)
        self.stored = Stored(self)
        self.writes = CallWrites(self, callees)


def _nothing() -> None:
    """No limits of the run."""
