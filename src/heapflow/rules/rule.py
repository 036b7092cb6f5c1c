"""The rules, and how an object can be lost or misused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class Level(IntEnum):
    """How bad; ordered, so that `--fail-on warning` is `>=`."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Rule(Enum):
    """What is wrong, named by the fault. The value is the rule's name everywhere."""

    NEVER_FREED = "never-freed"  # no path frees it
    CONDITIONAL_LEAK = "conditional-leak"  # some paths free it, this one does not
    OVERWRITTEN = "overwritten"  # the last pointer to it is replaced
    LEAK_IF_ALLOCATION_FAILS = "leak-if-allocation-fails"  # only where another one fails
    LEAK_AT_EXIT = "leak-at-exit"  # lost only because the program is about to end
    RESOURCE_LEAK = "resource-leak"  # a file, a descriptor, a mapping … that nobody releases
    DOUBLE_FREE = "double-free"  # released a second time
    USE_AFTER_FREE = "use-after-free"  # used, passed on or returned after its release
    MISMATCHED_RELEASE = "mismatched-release"  # released by a function that is for something else
    INVALID_FREE = "invalid-free"  # a variable or a literal is released

    @property
    def level(self) -> Level:
        return _RULES[self].level

    @property
    def cwe(self) -> int:
        return _RULES[self].cwe

    @property
    def title(self) -> str:
        """One line without a full stop, such as a heading."""
        return _RULES[self].title

    @property
    def security_severity(self) -> float:
        """0 to 10, on the scale that code-scanning services use; 0: not a security matter."""
        return _RULES[self].security_severity

    @property
    def is_misuse(self) -> bool:
        """Whether something happens to an object, rather than nothing: told where it happens."""
        return self in _MISUSES


_MISUSES = (
    Rule.DOUBLE_FREE,
    Rule.USE_AFTER_FREE,
    Rule.MISMATCHED_RELEASE,
    Rule.INVALID_FREE,
)


@dataclass(frozen=True, slots=True)
class _RuleFacts:
    level: Level
    cwe: int
    title: str
    security_severity: float


_RULES = {
    Rule.NEVER_FREED: _RuleFacts(Level.ERROR, 401, "Memory that no path frees", 5.5),
    Rule.CONDITIONAL_LEAK: _RuleFacts(
        Level.ERROR, 401, "Memory that one path forgets to free", 5.5
    ),
    Rule.OVERWRITTEN: _RuleFacts(
        Level.ERROR, 401, "The last pointer to memory is overwritten", 5.5
    ),
    Rule.LEAK_IF_ALLOCATION_FAILS: _RuleFacts(
        Level.NOTE, 401, "Memory that is lost if an allocation fails", 2.0
    ),
    Rule.LEAK_AT_EXIT: _RuleFacts(
        Level.NOTE, 401, "Memory that is lost when the program is about to end", 0.0
    ),
    Rule.RESOURCE_LEAK: _RuleFacts(
        Level.ERROR, 772, "A file, descriptor or other resource that is not released", 5.5
    ),
    Rule.DOUBLE_FREE: _RuleFacts(Level.ERROR, 415, "Memory that is freed twice", 8.0),
    Rule.USE_AFTER_FREE: _RuleFacts(Level.ERROR, 416, "Memory that is used after its release", 8.0),
    Rule.MISMATCHED_RELEASE: _RuleFacts(
        Level.ERROR, 762, "Something that is released by the wrong function", 6.0
    ),
    Rule.INVALID_FREE: _RuleFacts(
        Level.ERROR, 590, "A variable or literal that is freed as if it had been allocated", 7.0
    ),
}


class LostBy(Enum):
    """How the last pointer to the object went."""

    RETURN = "return"  # the function returns
    END_OF_SCOPE = "end-of-scope"  # the variable's block ends
    OVERWRITTEN = "overwritten"  # another value is assigned over it
    LOOP = "loop"  # the next turn of a loop assigns over it
    EXIT = "exit"  # `main` returns, or `exit` is called
    CALLEE_DROPPED = "callee-dropped"  # a called function took it and forgot it
    RESULT_UNUSED = "result-unused"  # nobody kept what the call returned
    OWNER_FREED = "owner-freed"  # the object that held the pointer was freed
    REALLOC = "realloc"  # `p = realloc(p, n)` failed and replaced the only pointer
    # Not lost, but misused:
    USED = "used"  # read or written after its release
    PASSED = "passed"  # given to another function after its release
    HANDED_OUT = "handed-out"  # returned after its release
    RELEASED_AGAIN = "released-again"
    WRONG_FUNCTION = "wrong-function"  # released by a function that is for something else
    INNER_POINTER = "inner-pointer"  # released by a pointer that is not its start
    LOCAL_VARIABLE = "local-variable"  # released though nobody allocated it
    STATIC_VARIABLE = "static-variable"  # the same of a global variable or a literal
