"""The one model of what the analysis found. The engine fills it; renderers format and never compute.

Example: `p = malloc(4); if (n == 0) return; free(p);` is one `Finding` of `Rule.CONDITIONAL_LEAK`
with the steps ALLOCATED `malloc(4)`, BRANCH `n == 0` taken "true", FREED_ON_OTHER_PATH `free(p)`,
LOST, `lost_by` RETURN, and `frees` with the place of `free(p)`.
Texts in steps are source text or names, not sentences: sentences are made in `report/wording.py`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from heapflow.frontend.guesses import Guesses
from heapflow.rules.rule import Level as Level
from heapflow.rules.rule import LostBy as LostBy
from heapflow.rules.rule import Rule as Rule
from heapflow.support.run import PhaseCost


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A point in a source file. Lines and columns start at 1; 0 is unknown.

    Without debug information there are no lines: the file is the bitcode, and the instruction's number
    stands in, `part.bc:parse+12`.
    """

    file: str
    line: int
    column: int = 0
    function: str = ""  # the function it lies in
    instruction: int = -1  # its number in the function, where there is no line

    def __str__(self) -> str:
        if self.instruction >= 0:
            return f"{self.file}:{self.function}+{self.instruction}"
        return (
            f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"
        )

    def is_on_line_of(self, other: Place) -> bool:
        return self.line > 0 and (self.file, self.line) == (other.file, other.line)


class StepKind(Enum):
    """What happens at a step of the losing path, and what the step's `text` holds."""

    ALLOCATED = "allocated"  # the allocating expression: `malloc(sizeof *p)`
    CALL = "call"  # the name of the function that is entered
    CLIENT = "client"  # the name of a function that a caller which is not known calls
    RETURNED = "returned"  # the name of the function that hands the object to its caller
    STORED = "stored"  # where the pointer is put: `s->name`
    BRANCH = "branch"  # the condition: `n == 0`; `taken` says which way
    FAILED = "failed"  # the expression of an allocation that fails
    RELEASED = "released"  # the releasing expression: `free(p)`
    FREED_ON_OTHER_PATH = "freed-on-other-path"  # the freeing expression: `free(p)`
    LOST = "lost"  # what held the last pointer: `p`; "" if it has no name. Of a misuse: where it is


@dataclass(frozen=True, slots=True)
class Step:
    """One step, in execution order."""

    kind: StepKind
    place: Place
    text: str = ""
    # Of a BRANCH: "true", "false", "case 3", "default", "no case". Of a RETURNED that is not the
    # result of the call: where the block comes back, "" if that has no name.
    taken: str | None = None


class Confidence(IntEnum):
    """How much of the path was proven rather than assumed."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class SuppressedBy(Enum):
    COMMENT = "comment"  # `// heapflow: ignore` in the source
    BASELINE = "baseline"  # known before


@dataclass(frozen=True, slots=True)
class Suppression:
    """Why a finding does not count. It stays in JSON and SARIF, marked."""

    by: SuppressedBy
    reason: str = ""
    place: Place | None = None  # of the comment


class BaselineState(Enum):
    NEW = "new"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class SliceNode:
    """A definition on the way of the object."""

    label: str
    place: Place | None = None
    kind: str = "value"  # "source", "value", "memory", "free", "lost"


@dataclass(frozen=True, slots=True)
class SliceEdge:
    """A value-flow edge between nodes, by their index; `guard` is its condition as text."""

    source: int
    target: int
    guard: str = ""


@dataclass(frozen=True, slots=True)
class Slice:
    """The part of the value-flow graph that decided, small enough to be drawn."""

    nodes: tuple[SliceNode, ...] = ()
    edges: tuple[SliceEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One lost allocation and its cause; not one per path."""

    rule: Rule
    allocation: Place
    allocator: str  # the function that allocated, such as `malloc` or a wrapper
    lost: Place
    lost_by: LostBy
    steps: tuple[Step, ...] = ()
    variable: str = ""  # source name of what held the last pointer: `s->name`; "" if unknown
    frees: tuple[Place, ...] = ()  # that other paths reach
    elsewhere: tuple[Place, ...] = ()  # where other paths lose it
    call_chain: tuple[Place, ...] = ()  # call sites from the allocation to where it is lost
    also_at: tuple[Place, ...] = ()  # other allocations of the same wrapper, lost the same way
    lost_with: tuple[Place, ...] = ()  # allocations of what only this object pointed to
    confidence: Confidence = Confidence.HIGH
    outcome: str = "confirmed"  # by execution of its path; else what came of that
    bounds: tuple[str, ...] = ()  # that ended the search for a path
    examples: tuple[tuple[str, str], ...] = ()  # inputs of the path: names and values
    call: str = ""  # a call, as an expression of C, that takes the path; empty: other things decide
    # Assumptions of stage 1 that acted in the functions that the block passes (policies/table.py).
    policies: tuple[str, ...] = ()
    believes: tuple[str, ...] = ()  # what it takes for granted of functions that are not known
    uncalled: str = ""  # the function in which its path begins, if nobody calls that
    client: tuple[str, ...] = ()  # functions whose calls, in this order, are assumed
    suppressed: Suppression | None = None
    baseline: BaselineState | None = None  # None: no baseline was given
    blocks: int = 1  # that are lost for this one reason
    in_tests: bool = False  # in a path that the settings call a test, an example, generated
    guessed: str = ""  # what was guessed for its file, if that was compiled without its build
    slice: Slice | None = field(default=None, compare=False)
    # Tells blocks at one place apart (two calls in a macro, two results of one call); this run's own.
    block: tuple[int, ...] = field(default=(), compare=False)
    # Instructions that made blocks which are lost with it and lead to it; this run's own.
    owners: tuple[int, ...] = field(default=(), compare=False)

    @property
    def level(self) -> Level:
        return self.rule.level if self.is_confirmed and not self.uncalled else Level.NOTE

    @property
    def path(self) -> tuple[Step, ...]:
        """The steps that are executed, in that order: without what other paths do."""
        other = StepKind.FREED_ON_OTHER_PATH
        return tuple(step for step in self.steps if step.kind is not other)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What it rests on: beliefs, guesses about the build, a function that nobody calls."""
        guessed = (f"compiled without its build: {self.guessed}",) if self.guessed else ()
        uncalled = (f"nobody calls `{self.uncalled}` in what was built",) if self.uncalled else ()
        return (*self.believes, *guessed, *uncalled)

    @property
    def primary(self) -> Place:
        """Where it is told: a leak at the allocation, anything else where it happens."""
        return self.lost if self.rule.is_misuse else self.allocation

    @property
    def is_confirmed(self) -> bool:
        return self.confidence is not Confidence.LOW

    @property
    def fingerprint(self) -> str:
        """The same for the same fault after lines have moved: no line numbers in it."""
        words = [self.rule.value, self.allocation.file, self.allocation.function, self.allocator]
        for step in self.steps:
            words += [step.kind.value, " ".join(step.text.split()), step.taken or ""]
        return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def rank(self) -> tuple[object, ...]:
        """What is read first: the program before its tests, what is sure, what is bad."""
        return self.in_tests, -self.confidence, -self.level, self.order

    @property
    def order(self) -> tuple[Place, str, Place]:
        """By place: the order in which findings are worked on."""
        return self.primary, self.rule.value, self.lost


@dataclass(frozen=True, slots=True)
class Undecided:
    """An allocation without a verdict."""

    allocation: Place
    allocator: str
    limit: str  # the setting that it hit, such as `leaks.max-nodes`


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file that is not part of the analysed program."""

    file: str
    error: str


@dataclass(frozen=True, slots=True)
class GuessedFile:
    """A file that was compiled without its build, and what was guessed for it."""

    file: str
    guesses: Guesses


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """An external function whose effect is unknown, and how much depends on it."""

    function: str
    allocations: int  # allocation sites that reach it


@dataclass(frozen=True, slots=True)
class Summary:
    """What was and what was not analysed."""

    files: int = 0  # given
    functions: int = 0  # with a body
    allocations: int = 0  # allocation sites
    decided: int = 0  # allocation sites with a verdict
    followed: int = (
        0  # blocks that were followed: a site counts again for each caller that it reaches
    )
    undecided: tuple[Undecided, ...] = ()
    failed: tuple[FailedFile, ...] = ()
    unseen: int = 0  # allocation sites whose blocks reach a function that is not known
    unmodelled: tuple[Unmodelled, ...] = ()
    phases: tuple[PhaseCost, ...] = ()
    unconfirmed: int = 0  # candidates for which no losing path was found, and none excluded
    stopped: str = ""  # the limit of the run that was hit, and in which phase
    # Files of the build that are not C, by language with their numbers: left out.
    other_languages: tuple[tuple[str, int], ...] = ()
    guessed: tuple[GuessedFile, ...] = ()
    # Assumptions of stage 1 that were made, and how often each acted (policies/table.py).
    policies: tuple[tuple[str, int], ...] = ()
    # What points-to gave up on, and how often: where such a pointer leads is not followed.
    given_up: tuple[tuple[str, int], ...] = ()
