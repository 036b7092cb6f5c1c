"""printf and its like: into memory, and to the output of a concrete run.

Not modelled: wide characters, positions (`%1$d`), grouping of thousands.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.library.formats import formatted
from heapflow.replay.term import Value, mask

_USED_UP = (48, 176)  # bytes of the areas for integer and floating-point registers


class Passed:
    """Arguments of a variadic call."""

    def __init__(self, call: LibraryCall, position: int) -> None:
        self.call, self.position = call, position

    def integer(self, width: int) -> Value | None:
        return self._next()

    def floating(self, width: int) -> Value | None:
        return self._next()

    def _next(self) -> Value | None:
        if self.position >= len(self.call.arguments):
            return None
        self.position += 1
        return self.call.value(self.position - 1)

    def text(self, address: Value, most: int) -> bytes | None:
        found, ended = self.call.prefix(address, most)
        return found if ended or len(found) == most else None

    def count(self, address: Value, width: int, number: int) -> None:
        assert isinstance(address, int)
        self.call.store(address, width, number & mask(width))

    def leave(self) -> None:
        """Nothing is left behind."""


class Listed(Passed):
    """Arguments of a va_list, which is left behind them once the call is known to be computed."""

    def __init__(self, call: LibraryCall, position: int) -> None:
        super().__init__(call, position)
        place = call.place(call.value(position))
        self.list = 0 if place is None else place[0].base + place[1]
        self.used = [self._word(0, 32), self._word(4, 32)]
        self.area, self.saved = self._word(8, 64), self._word(16, 64)

    def _word(self, offset: int, width: int) -> int:
        found = self.call.load(self.list + offset, width) if self.list else 0
        return found if isinstance(found, int) else 0

    def integer(self, width: int) -> Value | None:
        return self._fetch(0, 8, 64)

    def floating(self, width: int) -> Value | None:
        if width > 64:
            self.area = (self.area + 15) & ~15
            return self._behind(16, width)
        return self._fetch(1, 16, width)

    def _fetch(self, kind: int, step: int, width: int) -> Value | None:
        used = self.used[kind]
        if used + step <= _USED_UP[kind] and self.saved:
            self.used[kind] = used + step
            return self.call.load(self.saved + used, width)
        return self._behind(8, width)

    def _behind(self, step: int, width: int) -> Value | None:
        if not self.area:
            return None
        self.area += step
        return self.call.load(self.area - step, width)

    def leave(self) -> None:
        self.call.store(self.list, 32, self.used[0])
        self.call.store(self.list + 4, 32, self.used[1])
        self.call.store(self.list + 8, 64, self.area)


def prepared_text(
    call: LibraryCall, template: int, is_list: bool
) -> tuple[bytes, Callable[[], None]] | None:
    """The text that a call makes, and what has to be done once it is used."""
    text = call.text(call.value(template))
    if text is None:
        return None
    source = Listed(call, template + 1) if is_list else Passed(call, template + 1)
    made = formatted(text, source)
    return None if made is None else (made, source.leave)


def _made_text(call: LibraryCall, template: int, is_list: bool) -> bytes | None:
    prepared = prepared_text(call, template, is_list)
    if prepared is None:
        return None
    prepared[1]()
    return prepared[0]


def _to_memory(limit: int | None, template: int, is_list: bool) -> Computed:
    """sprintf, snprintf; `limit`: the argument that says how much room there is."""

    def run(call: LibraryCall) -> Value | None:
        room = 1 << 62 if limit is None else call.number(limit)
        if room is None or (room and call.place(call.value(0)) is None):
            return None
        made = _made_text(call, template, is_list)
        if made is None:
            return None
        if room:
            call.write(call.value(0), made[: room - 1] + b"\0")
        return call.result(len(made))

    return run


def _printed(call: LibraryCall, template: int, is_list: bool) -> bytes | None:
    """What a program prints; None if nobody looks at what it does."""
    return None if call.output is None else _made_text(call, template, is_list)


def _to_output(template: int, is_list: bool) -> Computed:
    """printf."""

    def run(call: LibraryCall) -> Value | None:
        made = _printed(call, template, is_list)
        if call.output is None or made is None:
            return None
        call.output.append(made)
        return call.result(len(made))

    return run


def _to_stream(template: int, is_list: bool) -> Computed:
    """fprintf."""

    def run(call: LibraryCall) -> Value | None:
        made = _printed(call, template, is_list)
        if made is None:
            return None
        return put(call, 0, made, call.result(len(made)))

    return run


def put(call: LibraryCall, stream: int, data: bytes, result: int) -> Value | None:
    """Print to a stream of a concrete run; None: it is not one of the standard ones."""
    place = call.place(call.value(stream))
    if call.output is None or place is None or place[0].name not in ("stdout", "stderr"):
        return None
    if place[0].name == "stdout":
        call.output.append(data)
    return result


def _puts(call: LibraryCall) -> Value | None:
    text = call.text(call.value(0)) if call.output is not None else None
    if text is None or call.output is None:
        return None
    call.output.append(text + b"\n")
    return call.result(len(text) + 1)


def _putchar(call: LibraryCall) -> Value | None:
    byte = call.number(0)
    if call.output is None or byte is None:
        return None
    call.output.append(bytes([byte & 0xFF]))
    return byte & 0xFF


def _fputs(call: LibraryCall) -> Value | None:
    text = call.text(call.value(0)) if call.output is not None else None
    return None if text is None else put(call, 1, text, 1)


def _fputc(call: LibraryCall) -> Value | None:
    byte = call.number(0)
    return None if byte is None else put(call, 1, bytes([byte & 0xFF]), byte & 0xFF)


def _fwrite(call: LibraryCall) -> Value | None:
    size, count = call.number(1), call.number(2)
    if size is None or count is None or call.output is None:
        return None
    data = call.bytes_at(call.value(0), size * count)
    return None if data is None else put(call, 3, data, count)


def _write(call: LibraryCall) -> Value | None:
    descriptor, count = call.number(0), call.number(2)
    if descriptor not in (1, 2) or count is None or call.output is None:
        return None
    data = call.bytes_at(call.value(1), count)
    if data is not None and descriptor == 1:
        call.output.append(data)
    return None if data is None else count


def _perror(call: LibraryCall) -> Value | None:
    return None if call.output is None else 0


PRINTING: dict[str, Computed] = {
    "sprintf": _to_memory(None, 1, False),
    "vsprintf": _to_memory(None, 1, True),
    "snprintf": _to_memory(1, 2, False),
    "vsnprintf": _to_memory(1, 2, True),
    "__sprintf_chk": _to_memory(None, 3, False),
    "__snprintf_chk": _to_memory(1, 4, False),
    "printf": _to_output(0, False),
    "vprintf": _to_output(0, True),
    "__printf_chk": _to_output(1, False),
    "fprintf": _to_stream(1, False),
    "vfprintf": _to_stream(1, True),
    "__fprintf_chk": _to_stream(2, False),
    "puts": _puts,
    "putchar": _putchar,
    "fputs": _fputs,
    "fputc": _fputc,
    "putc": _fputc,
    "_IO_putc": _fputc,
    "fwrite": _fwrite,
    "write": _write,
    "perror": _perror,
}
