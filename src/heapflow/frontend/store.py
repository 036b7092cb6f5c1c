"""Tables as bytes and back: what the cache keeps of a file.

A header in JSON names the columns, then come the raw arrays. Neither pickle (running what a damaged or
foreign file says) nor npz (a zip directory per file, ten times slower to open) will do; see
docs/decisions. The checksum is over everything behind it.
Guarantees: `program_from_bytes(program_to_bytes(p))` equals p; anything else raises ValueError.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from heapflow.ir.program import TABLES, Program
from heapflow.ir.table import column_specs

_MAGIC = b"hflowtab"
FORMAT = 3  # raise when a table or column changes
_ALIGN = 8
_COLUMNS = {name: column_specs(table_type) for name, table_type in TABLES.items()}


def program_to_bytes(program: Program) -> bytes:
    """One self-contained, checksummed blob."""
    shapes: list[int] = []
    parts: list[bytes] = []
    for name, columns in _COLUMNS.items():
        table: Any = getattr(program, name)
        for spec in columns:
            array = np.ascontiguousarray(getattr(table, spec.name), dtype=spec.dtype)
            raw = array.tobytes()
            shapes.append(len(array))
            parts.append(raw + bytes(-len(raw) % _ALIGN))
    strings = [text.encode("utf-8", "surrogatepass") for text in program.strings]
    header = json.dumps(
        {
            "format": FORMAT,
            "rows": shapes,
            "strings": [len(text) for text in strings],
            "unread": program.unread,
        },
        separators=(",", ":"),
    ).encode()
    header += b" " * (-(len(header) + 20) % _ALIGN)
    body = len(header).to_bytes(8, "little") + header + b"".join(parts) + b"".join(strings)
    return _MAGIC + zlib.crc32(body).to_bytes(4, "little") + body


def program_from_bytes(data: bytes) -> Program:
    """The tables; raises ValueError if the bytes are damaged or of another format."""
    if data[:8] != _MAGIC or zlib.crc32(memoryview(data)[12:]) != int.from_bytes(
        data[8:12], "little"
    ):
        raise ValueError("damaged tables")
    header_size = int.from_bytes(data[12:20], "little")
    header = json.loads(data[20 : 20 + header_size])
    if header.get("format") != FORMAT:
        raise ValueError(f"tables of format {header.get('format')}, not {FORMAT}")
    rows = iter(header["rows"])
    at = 20 + header_size
    tables: dict[str, Any] = {}
    for name, table_type in TABLES.items():
        columns = []
        for spec in _COLUMNS[name]:
            count = next(rows)
            array = np.frombuffer(data, dtype=spec.dtype, count=count, offset=at)
            columns.append(array)
            at += array.nbytes + (-array.nbytes % _ALIGN)
        tables[name] = table_type(*columns)
    strings = []
    for size in header["strings"]:
        strings.append(data[at : at + size].decode("utf-8", "surrogatepass"))
        at += size
    unread = tuple((kind, count) for kind, count in header["unread"])
    return Program(strings=tuple(strings), unread=unread, **tables)
