"""Numbers that functions of the C library return, within what their manual pages say.

In:    a call whose result the model leaves open.     Out: what to require of the result afterwards.
`fgetc` returns a byte or -1, `close` 0 or -1, `read` at most as much as was asked for. Without these
a path may hang on a result that no library gives (`fgetc(f) < -1`). Locks and conditions that were set
up as usual are taken to work: only a lock that checks for errors, or a broken one, says otherwise.
"""

from __future__ import annotations

from heapflow.replay.addresses import load_at
from heapflow.replay.decisions import require
from heapflow.replay.library.call import LibraryCall
from heapflow.replay.library.copying import Afterwards, Refined
from heapflow.replay.term import Term, Value, mask


def _within(low: int, high: int) -> Refined:
    """Between two numbers, signed."""

    def run(call: LibraryCall) -> Afterwards | None:
        def bound(result: Value) -> None:
            terms, width = call.executor.terms, call.instr.width
            if isinstance(result, Term) and width:
                least, most = low & mask(width), high & mask(width)
                require(call.executor, call.state, terms.negate(terms.slt(width, result, least)))
                require(call.executor, call.state, terms.negate(terms.slt(width, most, result)))

        return bound

    return run


def _at_most(position: int, low: int) -> Refined:
    """From `low` on, and no more than an argument says."""

    def run(call: LibraryCall) -> Afterwards | None:
        count = call.value(position)

        def bound(result: Value) -> None:
            terms, width = call.executor.terms, call.instr.width
            if not isinstance(result, Term) or width != call.width(position):
                return
            require(
                call.executor, call.state, terms.negate(terms.slt(width, result, low & mask(width)))
            )
            more = terms.binary(
                "and", 1, terms.slt(width, count, result), terms.negate(terms.slt(width, count, 0))
            )
            require(call.executor, call.state, terms.negate(more))

        return bound

    return run


def _addresses(call: LibraryCall) -> Afterwards | None:
    """getaddrinfo gives addresses of the Internet, and there is one in each entry."""
    executor, state = call.executor, call.state

    def bound(result: Value) -> None:
        entry = state.objects.get(state.next_object - 1)
        if entry is None or entry.by != call.instr.id:
            return
        terms, own = executor.terms, state.own(entry.id)
        length = executor.memory.read(own, _LENGTH_OF_ADDRESS, 4)
        require(executor, state, terms.ult(32, length, _LONGEST_ADDRESS + 1))
        address = load_at(executor, state, own.base + _ADDRESS, 64, True)
        require(executor, state, terms.negate(terms.eq(64, address, 0)))

    return bound


# Of struct addrinfo.
_LENGTH_OF_ADDRESS, _ADDRESS = 16, 24
_LONGEST_ADDRESS = 28  # bytes of struct sockaddr_in6
_CHARACTERS = """fgetc getc getchar fgetc_unlocked getc_unlocked getchar_unlocked
    fputc putc putchar fputc_unlocked putc_unlocked putchar_unlocked ungetc"""
_SUCCESSES = """close unlink rmdir mkdir rename chdir stat lstat fstat access bind listen connect
    shutdown setsockopt getsockopt getsockname getpeername pipe pipe2 socketpair fsync fclose fflush
    fseek fseeko closedir munmap mprotect kill tcgetattr tcsetattr gettimeofday clock_gettime chmod
    fchmod chown fchown ftruncate truncate link symlink setrlimit getrlimit nanosleep setuid setgid"""
_WORKING = """pthread_mutex_lock pthread_mutex_unlock pthread_cond_wait pthread_cond_signal
    pthread_cond_broadcast pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock
    pthread_spin_lock pthread_spin_unlock"""

RANGES: dict[str, Refined] = {
    "getaddrinfo": _addresses,
    **dict.fromkeys(_CHARACTERS.split(), _within(-1, 255)),
    **dict.fromkeys(_SUCCESSES.split(), _within(-1, 0)),
    **dict.fromkeys(_WORKING.split(), _within(0, 0)),
    **dict.fromkeys("read write pread pwrite readlink recv send".split(), _at_most(2, -1)),
    **dict.fromkeys("fread fwrite fread_unlocked fwrite_unlocked".split(), _at_most(2, 0)),
}
