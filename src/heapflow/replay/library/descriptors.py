"""What the result of a call says about descriptors that were open before."""

from __future__ import annotations

from heapflow.replay.control import Ended
from heapflow.replay.descriptors import failed_number, has_closed, is_closed
from heapflow.replay.events import End
from heapflow.replay.library.call import LibraryCall
from heapflow.replay.library.copying import Afterwards, Refined
from heapflow.replay.term import Value


def _duplicated(call: LibraryCall) -> Afterwards | None:
    """dup fails on what is not open, however often it is tried. If it is the table that is full, the
    next call fails, too."""
    number = call.executor.settled(call.state, call.value(0))
    was_closed = is_closed(call.state, number)

    def note(result: Value) -> Value | None:
        if result == failed_number(call.instr.width):
            has_closed(call.state, number)
        elif was_closed:
            raise Ended(End.BROKEN)
        return None

    return note


DUPLICATING: dict[str, Refined] = {"dup": _duplicated}
