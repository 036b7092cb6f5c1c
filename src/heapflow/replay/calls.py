"""Calls: a callee is entered, passed, or does what its model says.

A callee with a body is entered if it may touch what is tracked, if the candidate's allocation lies in
it, if its result was found to matter, or if it is small. Otherwise it is passed: what it may write is
unknown from then on, and so is its result; the names of these unknowns lead back to the call
(`Executor.call_of`), so that the search can enter it the next time.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.arguments import by_value_argument
from heapflow.ir.kinds import FuncFlag, ValueKind
from heapflow.models.model import (
    Alloc,
    CopyMemory,
    FillMemory,
    Free,
    FunctionModel,
    NoReturn,
    Realloc,
    ResourceKind,
    ReturnsTwice,
)
from heapflow.replay.aggregates import Aggregate
from heapflow.replay.agreeing import agreed_name
from heapflow.replay.answers import changed, versions
from heapflow.replay.callbacks import go_on
from heapflow.replay.code import Code
from heapflow.replay.decisions import model_with, require
from heapflow.replay.entering import by_value, enter_at, forget_written, may_touch
from heapflow.replay.events import End, EventKind
from heapflow.replay.executor import Alternative, Choice, Cut, Ended, Executor
from heapflow.replay.externals import (
    call_unknown,
    give,
    numbers_among,
    result_name,
)
from heapflow.replay.formatted import numbers_in
from heapflow.replay.frame import Extra, Frame
from heapflow.replay.instr import Instr
from heapflow.replay.intrinsics import call_intrinsic
from heapflow.replay.keeps import returned, wants_memory
from heapflow.replay.library import ALLOCATING, LIBRARY, REFINED, WRITING, LibraryCall
from heapflow.replay.modelcall import call_model
from heapflow.replay.state import State
from heapflow.replay.terms import Term, Value

_COMPLETE = (Alloc, CopyMemory, FillMemory, Free, NoReturn, Realloc, ReturnsTwice)
_LIBC = "libc.toml"
_INTRINSIC = int(FuncFlag.INTRINSIC)
_POINTER = 64  # bits
_ASM, _FUNCTION = int(ValueKind.INLINE_ASM), int(ValueKind.FUNCTION)
_ENTERED: Final = EventKind.ENTERED
_LEFT: Final = EventKind.LEFT
_PASSED: Final = EventKind.PASSED


def call(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool | None:
    """CALL, INVOKE, CALL_BR."""
    known = executor.knowledge
    callee = instr.operands[0]
    kind = known.value_kind[callee]
    if kind == _ASM:
        values = [executor.value(state, frame, operand) for operand in instr.operands[1:]]
        call_unknown(executor, state, frame, instr, values)
        return None
    if kind == _FUNCTION:
        func = _named(executor, state, known.value_index[callee])
    elif looks_on(executor, state, instr):
        pass_looking(executor, state, frame, instr)
        return None
    else:
        func = _target(executor, state, frame, instr)
    if func >= 0 and known.func_flags[func] & _INTRINSIC:
        call_intrinsic(executor, state, frame, instr, known.name(func))
        return None
    arguments = [executor.value(state, frame, operand) for operand in instr.operands[1:]]
    if func < 0:
        model = known.variable_model(callee)
        if model is not None and model.accepts(len(arguments)):
            call_model(executor, state, frame, instr, model, arguments)
            executor.watch.changed(executor, state, instr)
        else:
            call_unknown(executor, state, frame, instr, arguments)
    elif known.has_body(func):
        if must_enter(executor, state, func, instr, arguments):
            enter(executor, state, frame, instr, func, arguments)
            return True
        pass_over(executor, state, frame, instr, func, arguments)
    else:
        _external(executor, state, frame, instr, func, arguments)
        if frame.calling_back >= 0:
            return go_on(executor, state)
    return None


def _external(
    executor: Executor,
    state: State,
    frame: Frame,
    instr: Instr,
    func: int,
    arguments: list[Value],
) -> None:
    known = executor.knowledge
    name = known.name(func)
    model = known.model(func)
    executor.watch.calling(executor, state, instr, model, arguments)
    library_call = LibraryCall(executor, state, frame, instr, arguments, name)
    plain = model.name if model is not None else name
    computed = LIBRARY.get(plain)
    if computed is not None and (model is None or model.accepts(len(arguments))):
        result = computed(library_call)
        if result is not None:
            if instr.result >= 0:
                frame.regs[instr.result] = result
            if plain in WRITING:
                executor.watch.changed(executor, state, instr)
            return
    if executor.concrete and not (model is not None and _can_run(executor, model)):
        raise Cut(f"function {name}")
    refined = REFINED.get(plain)
    afterwards = refined(library_call) if refined is not None else None
    if model is None and not known.program.call_returns(instr.id):
        raise Ended(End.EXITED)
    if model is None or not model.accepts(len(arguments)):
        call_unknown(executor, state, frame, instr, arguments, func)
    else:
        if model.origin != _LIBC:
            # What other libraries do with a descriptor, their models do not say.
            given = _not_written(executor, state, model, arguments)
            state.kept = state.kept | numbers_among(executor, state, given, ())
        call_model(executor, state, frame, instr, model, arguments)
    if afterwards is not None and instr.result >= 0:
        changed = afterwards(frame.regs[instr.result])
        if changed is not None:
            frame.regs[instr.result] = changed
    executor.watch.changed(executor, state, instr)


def _not_written(
    executor: Executor, state: State, model: FunctionModel, arguments: list[Value]
) -> list[Value]:
    """Arguments other than numbers that a format writes into a text."""
    if model.signature is None or not model.signature.variadic:
        return arguments
    written = numbers_in(executor, state, len(model.signature.params), arguments)
    return [value for position, value in enumerate(arguments) if position not in written]


def _can_run(executor: Executor, model: FunctionModel) -> bool:
    """Whether a model says all that there is to say, so that a concrete run can use it."""
    if model.name in ALLOCATING:
        return True
    for effect in model.effects:
        if isinstance(effect, Alloc):
            family = executor.knowledge.models.families.get(effect.family)
            if effect.size is None or family is None or family.kind is not ResourceKind.MEMORY:
                return False
    return any(isinstance(effect, _COMPLETE) for effect in model.effects)


def _named(executor: Executor, state: State, func: int) -> int:
    """The function that a name stands for: each program may have its own."""
    known = executor.knowledge
    if known.programs.are_several and not known.has_body(func):
        several = known.programs.named(func)
        if len(several) > 1:
            return known.programs.together(several, (one.code.func for one in state.frames))[0]
    return known.meant(func)


def _target(executor: Executor, state: State, frame: Frame, instr: Instr) -> int:
    """The function that a pointer leads to; a choice if there are several; -1: not known."""
    known = executor.knowledge
    pointer = executor.value(state, frame, instr.operands[0])
    if isinstance(pointer, int):
        func = known.function_at(pointer >> 32)
        if func < 0:
            raise Ended(End.BROKEN)
        return func
    active = (one.code.func for one in state.frames)
    several = [known.meant(func) for func in known.callees(instr.id)]
    targets = known.programs.together(several, active)
    found: list[Alternative] = []
    for func in dict.fromkeys(targets[: executor.config.most_targets]):
        same = executor.terms.eq(64, pointer, known.function_address(func))
        if isinstance(same, Term):
            if state.known.get(same.number) == 1:
                return func
            model = model_with(executor, state, same)
            if model is not None:
                found.append(Alternative(same, model))
    if len(targets) > executor.config.most_targets:
        executor.cuts.add("functions that a pointer may lead to")
    if found:
        raise Choice(found)
    return -1


def must_enter(
    executor: Executor, state: State, func: int, instr: Instr, arguments: list[Value]
) -> bool:
    """Whether a callee has to be executed; cut off if it has to be and cannot."""
    known = executor.knowledge
    needed = executor.watch.wants(executor, state, func, instr, arguments)
    if (
        not needed
        and executor.watch.may_enter(state, instr)
        and known.size(func) <= executor.config.small_callee
    ):
        needed = not known.touches(func).external
    if not needed and state.tracked and not _only_tells(executor, func, instr):
        needed = may_touch(executor, state, func, arguments)
    if not needed and known.touches(func).unwinds:
        # It may jump back to here, or over whoever holds the block.
        is_small = known.size(func) <= executor.config.jumping_callee
        needed = bool(state.jumps) or (bool(state.tracked) and is_small)
    if needed and len(state.frames) >= executor.config.deepest_calls:
        raise Cut("calls")
    return needed


def _only_tells(executor: Executor, func: int, instr: Instr) -> bool:
    """Whether a callee does nothing to what it is given, and its result leads nowhere."""
    if not executor.watch.skips:
        return False
    is_number = instr.result < 0 or 0 < instr.width < _POINTER
    return is_number and executor.knowledge.touches(func).only_looks


def looks_on(executor: Executor, state: State, instr: Instr) -> bool:
    """Whether none of several functions that a pointer may lead to does more than tell a number:
    which one it is need not be known (functions that compare the elements of a tree)."""
    known = executor.knowledge
    if instr.id in executor.watch.enter or not executor.watch.skips:
        return False
    targets = [known.meant(func) for func in known.callees(instr.id)]
    if len(targets) < 2 or not all(map(known.has_body, targets)):
        return False
    returns = all(known.touches(func).returns for func in targets)
    return returns and all(_only_tells(executor, func, instr) for func in targets)


def pass_looking(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    """One of them was called."""
    name = result_name(executor, state, instr)
    for func in executor.knowledge.callees(instr.id):
        changed(state, sorted(executor.knowledge.touches(executor.knowledge.meant(func)).changes))
    state.note(_PASSED, instr.id, -1)
    give(executor, state, frame, instr, None, name)


def enter(
    executor: Executor,
    state: State,
    frame: Frame,
    instr: Instr,
    func: int,
    arguments: list[Value],
) -> None:
    """Execute the callee."""
    state.note(_ENTERED, instr.id, func)
    code = executor.knowledge.code(func)
    if instr.aux_type != code.type:
        arguments = _fitted(executor, instr, code, arguments)
    inner = enter_at(executor, state, instr, func, arguments)
    if len(arguments) > len(code.params):
        _pass_extra(executor, state, inner, instr, arguments)
    executor.watch.entered(executor, state, inner)


def _fitted(executor: Executor, instr: Instr, code: Code, arguments: list[Value]) -> list[Value]:
    """Arguments in the widths of the parameters: the call was written for another prototype."""
    types, kinds, terms = executor.types, executor.knowledge.value_type, executor.terms
    fitted = list(arguments)
    for position, parameter in enumerate(code.params[: len(arguments)]):
        wanted = types.width(kinds[parameter])
        given = types.width(kinds[instr.operands[1 + position]])
        if wanted and given and wanted < given:
            fitted[position] = terms.extract(wanted, arguments[position], 0)
        elif wanted and given and wanted > given:
            fitted[position] = terms.zext(wanted, arguments[position], given)
    return fitted


def _pass_extra(
    executor: Executor, state: State, inner: Frame, instr: Instr, arguments: list[Value]
) -> None:
    """Arguments that the callee has no names for."""
    for position in range(len(inner.code.params), len(arguments)):
        value = arguments[position]
        type_id = executor.knowledge.value_type[instr.operands[1 + position]]
        copied = by_value_argument(instr.numbers[1 + position])
        size, align = copied or (0, 8)
        if copied:
            value = by_value(executor, state, inner, value, size)
        inner.extra.append(Extra(value, type_id, size, align))


def pass_over(
    executor: Executor,
    state: State,
    frame: Frame,
    instr: Instr,
    func: int,
    arguments: list[Value],
) -> None:
    """Take it that the callee did something, and came back."""
    touches = executor.knowledge.touches(func)
    if not touches.returns:
        raise Ended(End.EXITED)
    wants = not touches.reads_only and wants_memory(executor, state, instr)
    _require_followed(executor, state, func, arguments)
    if touches.reads_only:
        worlds = versions(state, sorted(touches.asks)) if touches.asks else ()
        name = agreed_name(executor, state, func, arguments, touches.globals, worlds)
        executor.call_of[name] = instr.id
    else:
        name = result_name(executor, state, instr)
    changed(state, sorted(touches.changes))
    if touches.stores:
        forget_written(executor, state, func, arguments, name)
    state.note(_PASSED, instr.id, func)
    give(executor, state, frame, instr, None, name)
    returned(executor, state, frame, instr, wants)


def _require_followed(executor: Executor, state: State, func: int, arguments: list[Value]) -> None:
    """What the callee follows in any case was not NULL."""
    followed = executor.knowledge.followed.parameters(func)
    for position in sorted(followed) if followed else ():
        value = arguments[position] if position < len(arguments) else 1
        if value == 0:
            raise Ended(End.BROKEN)
        if isinstance(value, Term) and value.width == 64:
            require(executor, state, executor.terms.negate(executor.terms.eq(64, value, 0)))


def give_back(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    """RET."""
    value: Value | None = None
    if instr.operands:
        value = executor.value(state, frame, instr.operands[0])
    if len(state.frames) == 1:
        if executor.watch.goes_on(executor, state, frame, instr, value):
            return True
        executor.watch.finishing(executor, state, frame, instr, value)
        state.returned = value
        raise Ended(End.RETURNED)
    depth = len(state.frames)
    state.frames.pop()
    executor.left_from = frame.previous
    for ident in frame.allocas:
        state.objects.pop(ident, None)
    caller = state.top()
    call_site = caller.code.blocks[caller.block].instrs[caller.index]
    if frame.called_back:
        state.returned = value
        if caller.calling_back >= 0:
            state.note(_LEFT, call_site.id, frame.code.func)
            if not go_on(executor, state):
                caller.index += 1
                executor.watch.returned(executor, state, instr)
        return True
    if call_site.result >= 0 and value is not None:
        if call_site.width and not isinstance(value, Aggregate):
            width = executor.types.width(executor.knowledge.value_type[instr.operands[0]])
            if width and width != call_site.width:
                value = (
                    executor.terms.zext(call_site.width, value, width)
                    if width < call_site.width
                    else executor.terms.extract(call_site.width, value, 0)
                )
        caller.regs[call_site.result] = value
    elif call_site.result >= 0:
        give(executor, state, caller, call_site, None, result_name(executor, state, call_site))
    state.note(_LEFT, call_site.id, frame.code.func)
    caller.index += 1
    executor.watch.returned(executor, state, instr)
    if state.loss is not None and depth <= state.loss.depth:
        state.results = (*state.results, (depth, frame.code.func, value))
    return True
