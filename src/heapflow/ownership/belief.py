"""What may be believed of a function that is not known, and all that is: models that say so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum

from heapflow.ir.program import Program
from heapflow.modelled.take import ProgramModels
from heapflow.models.model import Family, FunctionModel


class UnknownFunctions(StrEnum):
    """What to do with functions of which only calls are seen."""

    BELIEVE = "believe"
    ESCAPE = "escape"  # they take whatever they get
    BORROW = "borrow"  # they take nothing


class Kind(StrEnum):
    """What a function is believed to be."""

    ALLOCATOR = "allocator"
    DEALLOCATOR = "deallocator"
    BORROWER = "borrower"
    TAKER = "taker"


@dataclass(frozen=True, slots=True, order=True)
class Belief:
    """One belief, and how many call sites speak for it and against it."""

    function: str
    kind: Kind
    argument: int  # from 1; 0: the result
    support: int
    against: int
    family: str = ""
    reason: str = ""
    is_address: bool = False  # a deallocator gets the address of the variable that it empties


@dataclass(frozen=True, slots=True)
class Beliefs:
    """What is believed, and the models that say so."""

    models: dict[str, FunctionModel] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)
    listed: tuple[Belief, ...] = ()
    untested: frozenset[int] = frozenset()  # calls at which nobody asks whether they worked
    limits_hit: Counter[str] = field(default_factory=Counter, compare=False)

    def about(self, program: Program, func: int, argument: int) -> list[Belief]:
        """What is believed of one argument (from 1) of a function, or of its result (0)."""
        name = program.func_name(func)
        start, type_id = program.types.field_start, int(program.functions.type[func])
        position = min(argument, int(start[type_id + 1] - start[type_id]) + 1)
        return [
            one
            for one in self.listed
            if one.function == name
            and (one.argument == position or (not position and one.kind is Kind.ALLOCATOR))
            and not (position and one.kind is Kind.ALLOCATOR)
        ]

    def added_to(self, models: ProgramModels) -> ProgramModels:
        """The models in force, with these."""
        if not self.models:
            return models
        own = {**self.models, **models.own}
        families = {**models.found, **self.families}
        return replace(models, own=own, found=families, untested=self.untested)
