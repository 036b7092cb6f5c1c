"""Questions about the world outside of memory: equal ones have equal answers until somebody changes it.

In:    a call of a modelled function, before and after its effects.     Out: a name for what it makes
unknown, shared by calls that agree; what its answer says about names; what is not as it was any more.
Which functions ask about which part of the world, and which change it, models say
(`heapflow.models.world`). A function that is not known may change all of it.
Guarantees: nothing is chosen here after the call has changed the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from heapflow.models.model import Borrowed, Comparison, Says, When
from heapflow.models.world import EVERYTHING, MEMORY, changes_of
from heapflow.replay.addresses import resolve
from heapflow.replay.agreeing import agreed_name
from heapflow.replay.decisions import require
from heapflow.replay.places import ModelledCall
from heapflow.replay.state import State
from heapflow.replay.term import Value

_LIBC: Final = "libc.toml"
Compare = Callable[[Comparison], Value]


def changed(state: State, worlds: Sequence[str]) -> None:
    """Parts of the world are not what they were."""
    if not worlds:
        return
    versions = dict(state.worlds)
    for world in worlds:
        versions[world] = versions.get(world, 0) + 1
    state.worlds = versions
    if EVERYTHING in worlds:
        state.said = {}
    elif state.said:
        state.said = {key: one for key, one in state.said.items() if key[0] not in worlds}


def answer_name(call: ModelledCall) -> str | None:
    """The name of the answer; None: no other call need agree. May raise a Choice."""
    model = call.model
    if not model.asks and not model.pure:
        return None
    if not model.asks and any(isinstance(getattr(e, "value", 0), Borrowed) for e in model.effects):
        return None  # what lies there changes from call to call (errno)
    follow_texts(call)
    written = model.written_args
    given = [value for at, value in enumerate(call.arguments, 1) if at not in written]
    worlds = versions(call.state, model.asks)
    signature = model.signature
    pointers = [
        value
        for at, value in enumerate(call.arguments, 1)
        if at not in written and signature is not None
        if at > len(signature.params) or signature.params[at - 1].pointer
    ]
    return agreed_name(call.executor, call.state, model.name, given, (), worlds, pointers)


def follow_texts(call: ModelledCall) -> None:
    """The C library reads the texts that it is given: they lie somewhere."""
    signature = call.model.signature
    if call.model.origin != _LIBC or signature is None:
        return
    for value, parameter in zip(call.arguments, signature.params, strict=False):
        if parameter.const_pointee and "char" in parameter.text:
            value = call.executor.settled(call.state, value)
            if not isinstance(value, int):
                resolve(call.executor, call.state, value)


def versions(state: State, worlds: Iterable[str]) -> tuple[int, ...]:
    """How often each was changed so far."""
    asked = [world for world in worlds if world != MEMORY]
    return tuple(state.worlds.get(world, 0) for world in (*asked, EVERYTHING)) if asked else ()


def change_world(call: ModelledCall, compare: Compare) -> None:
    """After the effects: what the call changed, or may have."""
    changes = changes_of(call.executor.knowledge.models.families, call.model)
    happened = [
        one.world for one in changes if _condition(call, one.when, one.starts, compare) != 0
    ]
    changed(call.state, happened)


def say(call: ModelledCall, compare: Compare) -> None:
    """What the answer says of names holds for all answers: two calls that say opposite things of one
    fact exclude each other. One call alone needs no condition."""
    state, terms = call.state, call.executor.terms
    said = dict(state.said)
    new: dict[tuple[str, str], tuple[tuple[bool, Value], ...]] = {}
    for one in call.model.says:
        applies = _condition(call, one.when, one.starts, compare)
        if applies == 0:
            continue
        fact = one.world, _fact(call, one)
        for holds, before in said.get(fact, ()):
            if holds is not one.holds:
                before = call.executor.settled(state, before)
                both = terms.binary("and", 1, before, applies)
                require(call.executor, state, terms.negate(both))
        new[fact] = (*new.get(fact, ()), (one.holds, applies))
    for fact, more in new.items():
        said[fact] = tuple(dict.fromkeys((*said.get(fact, ()), *more)))
    state.said = said


def _fact(call: ModelledCall, one: Says) -> str:
    about = [call.arguments[argument - 1] for argument in one.arguments]
    worlds = versions(call.state, (one.world,))
    return agreed_name(call.executor, call.state, one.fact, about, (), worlds, about)


def _condition(
    call: ModelledCall, when: When, starts: tuple[tuple[int, str], ...], compare: Compare
) -> Value:
    """Whether a change happens, or a fact is said; nothing is chosen."""
    terms = call.executor.terms
    holds: Value = 1
    for one in when:
        holds = terms.binary("and", 1, holds, compare(one))
    for argument, text in starts:
        holds = terms.binary("and", 1, holds, _starts(call, argument, text))
    return call.executor.settled(call.state, holds)


def _starts(call: ModelledCall, argument: int, text: str) -> Value:
    """Whether a text starts so; of a text that is not known nothing is said."""
    executor, state = call.executor, call.state
    address = executor.settled(state, call.arguments[argument - 1])
    if not isinstance(address, int) or not address:
        return executor.terms.var(f"starts:{call.name}", 1)
    obj = executor.object(state, address >> 32)
    holds: Value = 1
    for at, wanted in enumerate(text.encode()):
        byte = executor.memory.peek(obj, address - obj.base + at)
        if byte is None:
            return executor.terms.var(f"starts:{call.name}", 1)
        same = executor.terms.eq(8, executor.settled(state, byte), wanted)
        holds = executor.terms.binary("and", 1, holds, same)
    return holds
