"""What a function does with an argument: it releases it, keeps it, or borrows it.

In:    the ledger, the judge of results.     Out: `Argument`.
What speaks for a loan is weighed against what speaks against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from heapflow.ir.kinds import TypeKind
from heapflow.ownership.belief import Kind
from heapflow.ownership.declared import Const
from heapflow.ownership.ending import says_emptied, says_release
from heapflow.ownership.evidence import ArgumentEvidence, parameter_count
from heapflow.ownership.ledger import Ledger
from heapflow.ownership.results import Results
from heapflow.ownership.stands import Argument, Fresh, Stand

_SIZE = 8  # bytes of a `size_t`


class Loans:
    """The judge of arguments."""

    def __init__(self, ledger: Ledger, results: Results) -> None:
        self.ledger, self.results = ledger, results
        self.facts, self.program, self.config = ledger.facts, ledger.program, ledger.config
        self.declared, self.evidence = ledger.declared, ledger.evidence

    def of(self, func: int, at: int, fresh: Fresh | None) -> Argument:
        out = self.results.left_at(func, at)
        return (
            replace(self._plain(func, at, fresh), fresh=out)
            if out
            else self._plain(func, at, fresh)
        )

    def _plain(self, func: int, at: int, fresh: Fresh | None) -> Argument:
        if (func, at) in self.ledger.enders:
            family, deep = self.ledger.enders[func, at], self.declared.is_record(func, at)
            return Argument(Stand.RELEASED, family=family, with_contents=deep)
        if (func, at) in self.ledger.emptying:
            return Argument(Stand.EMPTIED, family=self.ledger.emptying[func, at])
        const = self.declared.const(func, at)
        if self.declared.is_variable(func, at) and (func, at) in self.evidence.outs:
            const = Const.NO  # addresses of variables are not printed, but filled
        found = self.evidence.arguments.get((func, at), ArgumentEvidence())
        member = self._member_size(func, at, found)
        if not found.sites and const is Const.NO:
            return Argument(Stand.UNCLEAR, member=member)
        if const is not Const.TYPED and self._is_taken(found):
            when, _ = min(found.taken_when.items(), key=lambda item: (-item[1], str(item[0])))
            reason = "callers release it only where the result says that it failed"
            self.ledger.enter(func, Kind.TAKER, at + 1, found.on_failure, found.used, "", reason)
            return Argument(Stand.TAKEN, when=when)
        lives_on = fresh is None or const is Const.NO
        if lives_on and self._may_be_result(func, at, found):
            return Argument(Stand.UNCLEAR, member=member)
        calls_back = func in self.evidence.call_back or self.declared.calls_back(func)
        if (calls_back and const is Const.NO) or not self._is_borrowed(func, at, found, const):
            return Argument(Stand.UNCLEAR, member=member)
        against = _against(found)
        support = found.spared + found.released + found.used + found.held
        self.ledger.enter(func, Kind.BORROWER, at + 1, support, against, "", _why(found, const))
        stays = found.inner_kept > found.inner_gone
        deep = const is not Const.NO or self.declared.is_data(func, at) or stays
        return Argument(
            Stand.BORROWED,
            is_const=const is not Const.NO,
            with_contents=deep,
            spares=self._is_owner(func, at),
            member=member,
        )

    def _may_be_result(self, func: int, at: int, found: ArgumentEvidence) -> bool:
        """Whether the result that callers use may be the argument: by the types, but not where callers
        release a struct of which they asked for a `void *` (`iterator_next(each)`)."""
        if func not in self.evidence.asked or not self.declared.may_be_result(func, at):
            return False
        is_typed = self.declared.is_record(func, at) and self.declared.gives_untyped(func)
        return not (is_typed and found.released)

    def _member_size(self, func: int, at: int, found: ArgumentEvidence) -> int:
        """Bytes of a member that cannot lead to the struct around it. Of a `void *`, callers show what
        kind of member it is."""
        if not self.declared.is_untyped(func, at) or not found.members:
            return self.declared.member_size(func, at)
        sizes = [self.declared.unlinked_size(one) for one in found.members]
        return -1 if min(sizes) < 0 else max(sizes)

    def _is_owner(self, func: int, at: int) -> bool:
        """Whether an argument is a struct whose contents the program itself releases: who borrows it
        leaves them there, unless its name says that it empties or changes things."""
        is_owner = self.declared.pointee(func, at) in self.evidence.owners
        return is_owner and not says_emptied(self.program.func_name(func))

    def _is_taken(self, found: ArgumentEvidence) -> bool:
        others = found.spared + found.released + found.used
        return bool(found.taken_when) and found.on_failure > others

    def _is_borrowed(self, func: int, at: int, found: ArgumentEvidence, const: Const) -> bool:
        """Whether what speaks for a loan outweighs what speaks against it. What goes in as `void *`
        may be a container's element: to use it later, or to give a constant, says nothing then."""
        if const is not Const.NO and self._releases_by_name(func, at):
            return False
        is_plain = const is Const.NO and self.declared.is_untyped(func, at)
        weak = found.used if found.used > 2 * found.last and not is_plain else 0
        static = 0 if is_plain else found.static
        strong = found.local + static + found.released
        support = self.config.strong * strong + weak + self._prior(const)
        against = _against(found)
        if (
            const is Const.NO
            and self.declared.is_record(func, at)
            and self.ledger.keeps_nowhere(func, at)
        ):
            against -= found.read
            seen = weak or found.read or found.held
            support += (self.config.no_place if seen else 0) + found.read + found.held
        elif const is Const.NO and self._is_held_text(func, at, found):
            support += self.config.no_place + found.held
        elif const is Const.NO and self._is_buffer(func, at):
            support += self.config.buffer
        weight = self.config.against if const is Const.NO else self.config.against_const
        return support - weight * against >= self.config.strong

    def _is_held_text(self, func: int, at: int, found: ArgumentEvidence) -> bool:
        """Whether callers ask something about numbers or text that their own structs go on leading to,
        of a function that has no place to keep them."""
        held = (
            found.held and self.declared.is_data(func, at) and self.ledger.keeps_nowhere(func, at)
        )
        return bool(held) and not says_release(self.program.func_name(func))

    def _is_buffer(self, func: int, at: int) -> bool:
        """Whether numbers or text go in together with a number, their length perhaps, or a `void *`
        just before a `size_t`, to a function that has no place to keep them and is not named as
        what releases something."""
        declared, count = self.declared, parameter_count(self.facts, func)
        if says_release(self.program.func_name(func)) or not self.ledger.keeps_nowhere(func, at):
            return False
        if declared.is_data(func, at):
            return any(declared.number_size(func, one) for one in range(count))
        return declared.is_untyped(func, at) and declared.number_size(func, at + 1) >= _SIZE

    def _releases_by_name(self, func: int, at: int) -> bool:
        """Whether a name says that a function releases its only pointers, though they lead to what is
        const: `free_list(context, char *const *list)`."""
        types = self.program.types
        is_void = types.kind[types.elem[int(self.program.functions.type[func])]] == TypeKind.VOID
        is_last = at == parameter_count(self.facts, func) - 1
        return is_void and is_last and says_release(self.program.func_name(func))

    def _prior(self, const: Const) -> int:
        """What a declaration alone says for a loan."""
        match const:
            case Const.NO:
                return 0
            case Const.ANYTHING:
                return self.config.const_untyped
            case Const.TYPED:
                return self.config.const_typed


def _against(found: ArgumentEvidence) -> int:
    """Call sites that speak against a loan. Who releases it whatever the result says contradicts those
    who do so in one case only: they would release it twice."""
    return found.dropped + max(0, found.on_failure - found.released)


def _why(found: ArgumentEvidence, const: Const) -> str:
    return (
        ", ".join(_reasons(found, const))
        or "it goes in with a number, and there is no place to keep it"
    )


def _reasons(found: ArgumentEvidence, const: Const) -> Iterator[str]:
    if const is not Const.NO:
        yield "declared const"
    if found.released:
        yield f"{found.released} release it afterwards"
    if found.spared:
        yield f"{found.spared} give a variable or a constant"
    if found.held:
        yield f"{found.held} {'keeps' if found.held == 1 else 'keep'} it in a field"
    if found.used:
        yield f"{found.used} use it afterwards"
