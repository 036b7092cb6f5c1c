"""Abbreviations: how the fields of a record are packed, compiled into Python functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from heapflow.frontend.bitcode.bitstream import HAS_BLOB, BitstreamError, read_vbr

_FIXED, _VBR, _ARRAY, _CHAR6, _BLOB, _LITERAL = 1, 2, 3, 4, 5, 0
_CHAR6_CODES = tuple(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._")
_WIDEST = 32
_MOST_FIELDS = 1024

WINDOW_BYTES = 64

AbbrevOp = tuple[int, int]  # (encoding, width or literal value)
Abbrev = tuple[AbbrevOp, ...]
AbbrevReader = Callable[[bytes, int], tuple[list[int], int]]


def read_vbr_array(data: bytes, pos: int, count: int, width: int, out: list[int]) -> int:
    """Append `count` VBR values to `out`; the position after them."""
    if count * width > len(data) * 8 - pos:
        raise BitstreamError("an array reaches past the end of the file")
    if not width:
        return _read_fixed_array(data, pos, count, 0, out)
    high = 1 << (width - 1)
    mask = (high << 1) - 1
    low = high - 1
    step = width - 1
    stop = 505 - ((64 + step - 1) // step) * width
    append = out.append
    while count:
        at = pos >> 3
        window = int.from_bytes(data[at : at + WINDOW_BYTES], "little") >> (pos & 7)
        used = 0
        while count and used <= stop:
            value = window & mask
            window >>= width
            used += width
            if value >= high:
                value &= low
                shift = step
                while True:
                    chunk = window & mask
                    window >>= width
                    used += width
                    value |= (chunk & low) << shift
                    if chunk < high:
                        break
                    shift += step
            append(value)
            count -= 1
        pos += used
    return pos


def _read_fixed_array(data: bytes, pos: int, count: int, width: int, out: list[int]) -> int:
    if count * max(1, width) > len(data) * 8 - pos:
        raise BitstreamError("an array reaches past the end of the file")
    mask = (1 << width) - 1
    per_window = max(1, 500 // width) if width else count
    end = pos + count * width
    while count:
        at = pos >> 3
        window = int.from_bytes(data[at : at + WINDOW_BYTES], "little") >> (pos & 7)
        take = min(count, per_window)
        out.extend(
            [(window >> shift) & mask for shift in range(0, take * width, width)]
            if width
            else [0] * take
        )
        pos += take * width
        count -= take
    return end


def _read_char6_array(data: bytes, pos: int, count: int, width: int, out: list[int]) -> int:
    start = len(out)
    pos = _read_fixed_array(data, pos, count, 6, out)
    out[start:] = [_CHAR6_CODES[c] for c in out[start:]]
    return pos


def _read_blob(data: bytes, pos: int, out: list[int]) -> int:
    """Append where a blob starts and its size to `out`; the position after it."""
    size, pos = read_vbr(data, pos, 6)
    at = (pos + 31) // 32 * 4
    if at + size > len(data):
        raise BitstreamError("a blob reaches past the end of the file")
    out[0] |= HAS_BLOB
    out += (at, size)
    return (at + size + 3) // 4 * 32


def read_abbreviation(data: bytes, pos: int) -> tuple[Abbrev, int]:
    count, pos = read_vbr(data, pos, 5)
    if count > _MOST_FIELDS:
        raise BitstreamError("an abbreviation is malformed")
    ops: list[AbbrevOp] = []
    while len(ops) < count:
        at = pos >> 3
        window = int.from_bytes(data[at : at + 4], "little") >> (pos & 7)
        if window & 1:
            value, pos = read_vbr(data, pos + 1, 8)
            ops.append((_LITERAL, value))
            continue
        encoding = (window >> 1) & 7
        pos += 4
        value = 0
        if encoding in (_FIXED, _VBR):
            value, pos = read_vbr(data, pos, 5)
            if value > _WIDEST or (encoding == _VBR and value == 1):
                raise BitstreamError("an abbreviation has an impossible width")
        elif encoding not in (_ARRAY, _CHAR6, _BLOB):
            raise BitstreamError(f"unknown abbreviation encoding {encoding}")
        ops.append((encoding, value))
    if not _is_well_formed([encoding for encoding, _ in ops]):
        raise BitstreamError("an abbreviation is malformed")
    return tuple(ops), pos


def _is_well_formed(encodings: list[int]) -> bool:
    """Scalars, the code first, then possibly an array with its element or a blob."""
    tail = encodings[-2:] if _ARRAY in encodings[-2:-1] else encodings[-1:]
    scalars = encodings[: -len(tail)] if _ARRAY in tail or _BLOB in tail else encodings
    if not scalars or _ARRAY in scalars or _BLOB in scalars:
        return False
    return tail[0] != _ARRAY or (len(tail) == 2 and tail[1] in (_FIXED, _VBR, _CHAR6))


_ARRAY_READERS = {
    _FIXED: "_read_fixed_array",
    _VBR: "read_vbr_array",
    _CHAR6: "_read_char6_array",
}


@lru_cache(maxsize=4096)
def compile_abbreviation(abbrev: Abbrev) -> AbbrevReader:
    """A function (data, pos) -> ([code, operand…], position after it)."""
    scalars = [op for op in abbrev if op[0] not in (_ARRAY, _BLOB)]
    is_array = len(abbrev) > 1 and abbrev[-2][0] == _ARRAY
    if is_array:
        element = scalars.pop()
    lines = ["def read(data, pos):"]
    lines += _scalar_lines(scalars)
    if is_array:
        lines += [
            "    count, pos = read_vbr(data, pos, 6)",
            f"    pos = {_ARRAY_READERS[element[0]]}(data, pos, count, {element[1]}, out)",
            "    return out, pos",
        ]
    elif abbrev[-1][0] == _BLOB:
        lines += ["    pos = _read_blob(data, pos, out)", "    return out, pos"]
    else:
        lines.append("    return out, pos")
    scope = dict(globals())
    exec("\n".join(lines), scope)  # the text is made of numbers only, see _scalar_lines
    compiled: AbbrevReader = scope["read"]
    return compiled


def _scalar_lines(scalars: list[AbbrevOp]) -> list[str]:
    """Straight-line code that reads the scalar fields out of one window."""
    worst = sum(_worst_bits(op) for op in scalars)
    if not worst:
        return [f"    out = [{', '.join(str(value) for _, value in scalars)}]"]
    lines = [
        "    at = pos >> 3",
        f"    window = int.from_bytes(data[at : at + {worst // 8 + 2}], 'little') >> (pos & 7)",
    ]
    names: list[str] = []
    for index, (encoding, value) in enumerate(scalars):
        name = f"v{index}"
        if encoding == _LITERAL:
            names.append(str(value))
            continue
        names.append(name)
        width = 6 if encoding == _CHAR6 else value
        if width == 0:
            lines.append(f"    {name} = 0")
            continue
        lines += [
            f"    {name} = window & {(1 << width) - 1}",
            f"    window >>= {width}",
            f"    pos += {width}",
        ]
        if encoding == _CHAR6:
            lines.append(f"    {name} = _CHAR6_CODES[{name}]")
        if encoding == _VBR:
            high = 1 << (width - 1)
            lines += [
                f"    if {name} >= {high}:",
                f"        {name} &= {high - 1}",
                f"        shift = {width - 1}",
                "        while True:",
                f"            chunk = window & {(high << 1) - 1}",
                f"            window >>= {width}",
                f"            pos += {width}",
                f"            {name} |= (chunk & {high - 1}) << shift",
                f"            if chunk < {high}:",
                "                break",
                f"            shift += {width - 1}",
            ]
    lines.append(f"    out = [{', '.join(names)}]")
    return lines


def _worst_bits(op: AbbrevOp) -> int:
    encoding, value = op
    if encoding == _VBR:
        step = value - 1
        return (64 + step - 1) // step * value if step > 0 else 0
    if encoding == _CHAR6:
        return 6
    return value if encoding == _FIXED else 0
