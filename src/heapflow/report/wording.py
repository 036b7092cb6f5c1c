"""The sentences of a report, made in one place so that all formats say the same."""

from __future__ import annotations

import re
from typing import assert_never

from heapflow.ownership.ownership import Belief, Kind
from heapflow.report.finding import Finding, LostBy, Rule, Step, StepKind
from heapflow.report.source import NO_CASE

_LOST = {
    LostBy.RETURN: "the last pointer to it is lost here",
    LostBy.END_OF_SCOPE: "the last pointer to it goes out of scope and is lost here",
    LostBy.OVERWRITTEN: "the last pointer to it is overwritten and lost here",
    LostBy.LOOP: "the next turn of the loop overwrites the last pointer to it, which is lost here",
    LostBy.EXIT: "the program ends and the last pointer to it is lost here",
    LostBy.CALLEE_DROPPED: "the called function drops the last pointer to it, which is lost here",
    LostBy.RESULT_UNUSED: "nobody keeps the pointer to it, which is lost here",
    LostBy.OWNER_FREED: "what holds the last pointer to it is freed, and the pointer is lost here",
    LostBy.USED: "used here, after its release",
    LostBy.PASSED: "given to another function here, after its release",
    LostBy.HANDED_OUT: "returned to the caller here, after its release",
    LostBy.RELEASED_AGAIN: "released again here",
    LostBy.WRONG_FUNCTION: "released here by a function that is for something else",
    LostBy.INNER_POINTER: "released here by a pointer that is not its start",
    LostBy.LOCAL_VARIABLE: "a local variable is released here",
    LostBy.STATIC_VARIABLE: "a global variable or a literal is released here",
    LostBy.REALLOC: "if `realloc` fails, the last pointer to it is lost here",
}
_COMPARISON = re.compile(r"[=!]=|(?<!-)[<>]|^!")  # what reads as a sentence without "is true"


def headline(finding: Finding) -> str:
    """The fault in one line, with what it rests on."""
    assumed = "".join(f", assuming that {one}" for one in assumptions(finding))
    return f"{_fault(finding)}{assumed}"


def assumptions(finding: Finding) -> tuple[str, ...]:
    """What is taken to happen, though no code that was given makes it happen."""
    calls = [f"`{name}`" for name in finding.client]
    if not calls:
        return ()
    first, last = calls[0], calls[-1]
    if len(calls) == 3 and first == last:
        return (f"{first} may be called again after {calls[1]}",)
    if first == last:
        return (f"{first} may be called twice",)
    if finding.lost_by is LostBy.OWNER_FREED:
        return (f"{last} ends what {first} made",)
    return (f"{last} may be called after {first}",)


def _fault(finding: Finding) -> str:
    if finding.rule.is_misuse or finding.rule is Rule.RESOURCE_LEAK:
        return _other_headline(finding)
    if not finding.is_confirmed:
        return f"memory from `{finding.allocator}` may be lost, but no path was found that loses it"
    memory = f"memory from `{finding.allocator}`" if finding.allocator else "memory"
    match finding.rule:
        case Rule.NEVER_FREED:
            never = "not freed" if finding.frees else "never freed"
            return f"{memory} is {never}{_held(finding)}"
        case Rule.CONDITIONAL_LEAK:
            return f"{memory} is not freed {condition(finding)}"
        case Rule.OVERWRITTEN:
            held = f"`{finding.variable}`" if finding.variable else "the last pointer to it"
            return f"{memory} is lost when {held} is overwritten"
        case Rule.LEAK_IF_ALLOCATION_FAILS:
            return f"{memory} is lost if {_failing(finding)} fails"
        case Rule.LEAK_AT_EXIT:
            return f"{memory} is not freed before the program ends{_held(finding)}"
        case _:
            raise ValueError(finding.rule)  # told by `_other_headline`


def _other_headline(finding: Finding) -> str:
    """The fault of rules that are not about lost memory."""
    held = f"`{finding.variable}`" if finding.variable else "memory"
    thing = f"memory from `{finding.allocator}`" if finding.allocator else held
    if not finding.is_confirmed:
        return f"{thing} may break the rule {finding.rule.value}, but no path was found that does"
    match finding.rule:
        case Rule.RESOURCE_LEAK:
            when = condition(finding) if deciding_branch(finding) else ""
            return f"what `{finding.allocator}` gives is not released {when}".rstrip()
        case Rule.DOUBLE_FREE:
            return f"{thing} is freed twice"
        case Rule.USE_AFTER_FREE:
            if finding.lost_by is LostBy.HANDED_OUT:
                return f"{thing} is returned after it was freed"
            return f"{thing} is used after it was freed"
        case Rule.MISMATCHED_RELEASE:
            if finding.lost_by is LostBy.INNER_POINTER:
                return f"{thing} is freed by a pointer that is not its start"
            return f"what `{finding.allocator}` gives is released by the wrong function"
        case Rule.INVALID_FREE:
            local = finding.lost_by is LostBy.LOCAL_VARIABLE
            kind = "a local variable" if local else "a global variable or a literal"
            return f"{kind} is freed, which nobody allocated"
        case _:
            raise ValueError(finding.rule)


def _failing(finding: Finding) -> str:
    """The allocation that has to fail."""
    for step in finding.steps:
        if step.kind is StepKind.FAILED and step.text:
            return f"`{step.text}`"
    return "another allocation"


def _held(finding: Finding) -> str:
    return f" (held by `{finding.variable}`)" if finding.variable else ""


def deciding_branch(finding: Finding) -> Step | None:
    """The last decision on the way to the loss."""
    branches = [step for step in finding.steps if step.kind is StepKind.BRANCH and step.text]
    return branches[-1] if branches else None


def condition(finding: Finding) -> str:
    """When it happens, as the end of a sentence."""
    step = deciding_branch(finding)
    if step is None or step.taken is None:
        return "on one path"
    if step.taken == "true":
        return f"when `{step.text}`" + ("" if _COMPARISON.search(step.text) else " is true")
    if step.taken == "false":
        return f"when `{step.text}` is false"
    return f"when {_case(step)}"


def _case(step: Step) -> str:
    """Which way a switch goes."""
    taken = step.taken or ""
    if taken == NO_CASE:
        return f"`{step.text}` matches no case"
    if taken.startswith("case "):
        return f"`{step.text}` is `{taken.removeprefix('case ')}`"
    return f"`{step.text}` takes `{taken}`"


def lost_sentence(finding: Finding) -> str:
    return _LOST[finding.lost_by]


def sentence(step: Step, finding: Finding) -> str:
    """What happens at a step."""
    text = f"`{step.text}`" if step.text else ""
    match step.kind:
        case StepKind.ALLOCATED:
            return "allocated here"
        case StepKind.CALL:
            return f"calls {text}" if text else "calls a function"
        case StepKind.CLIENT:
            return f"a caller calls {text}"
        case StepKind.RETURNED:
            if step.taken is not None:
                return f"comes back in `{step.taken}`" if step.taken else f"{text} hands it back"
            return f"{text} returns it" if text else "returned to the caller"
        case StepKind.STORED:
            return f"stored in {text}" if text else "stored"
        case StepKind.BRANCH:
            return branch_sentence(step)
        case StepKind.FAILED:
            return f"{text} fails and gives NULL" if text else "this allocation fails"
        case StepKind.RELEASED:
            return "released here"
        case StepKind.FREED_ON_OTHER_PATH:
            return f"another path frees it: {text}" if text else "another path frees it here"
        case StepKind.LOST:
            return lost_sentence(finding)
        case _:
            assert_never(step.kind)


def branch_sentence(step: Step) -> str:
    if not step.text:
        return f"the condition is {step.taken}" if step.taken else "branches here"
    if step.taken is None:
        return f"branches in `{step.text}`"
    if step.taken in ("true", "false"):
        return f"`{step.text}` is {step.taken}"
    return _case(step)


def example_sentence(finding: Finding) -> str:
    """Inputs for which the path is taken, in one line; empty if none are known."""
    shown = ", ".join(f"`{name}` = {value}" for name, value in finding.examples)
    return f"for example {shown}" if shown else ""


def belief_sentence(belief: Belief) -> str:
    """What is taken for granted of a function, and why."""
    name = f"`{belief.function}`"
    match belief.kind:
        case Kind.ALLOCATOR if belief.argument:
            what = f"is taken to leave a new block behind argument {belief.argument}"
        case Kind.ALLOCATOR:
            what = "is taken for an allocator"
        case Kind.DEALLOCATOR:
            what = "is taken for a deallocator"
        case Kind.BORROWER:
            what = f"is taken to borrow argument {belief.argument}"
        case Kind.TAKER:
            what = f"is taken to keep argument {belief.argument} if it works"
        case _:
            assert_never(belief.kind)
    against = f" ({belief.against} against)" if belief.against else ""
    return f"{name} {what}: {belief.reason}{against}"


def count(number: int, thing: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
