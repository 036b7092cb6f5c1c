"""The compiled kernel against the plain reader: the same records, and the same calm about damage."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from heapflow.frontend.bitcode import native, read_module
from heapflow.frontend.bitcode.bitstream import (
    BLOCKINFO,
    SUBBLOCK,
    Bitstream,
    BitstreamError,
    BlockRef,
)
from heapflow.frontend.bitcode.native import NativeBitstream, load_kernel
from heapflow.frontend.bitcode.plain import PlainBitstream
from heapflow.frontend.canonical import canonicalise
from heapflow.frontend.store import program_to_bytes
from tests.frontend.bitcode.compile import compile_to_bitcode

SOURCES = Path(__file__).parents[2] / "c" / "frontend"

needs_kernel = pytest.mark.skipif(load_kernel() is None, reason="no code at run time here")


@pytest.fixture(scope="module")
def bitcode(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    out = tmp_path_factory.mktemp("bc")
    return [
        canonicalise(compile_to_bitcode(SOURCES / name, out)) for name in ("exotic.c", "list.c")
    ]


def all_records(stream: Bitstream) -> Iterator[tuple[int, list[int]]]:
    """(block kind, records) of every block, in the order in which a reader meets them."""
    blocks = list(reversed(list(stream.top_level(32))))
    while blocks:
        block = blocks.pop()
        if block.block_id == BLOCKINFO:
            stream.read_blockinfo(block)
            continue
        flat = stream.records(block)
        yield block.block_id, flat
        inner, at = [], 0
        while at < len(flat):
            if flat[at] == SUBBLOCK:
                inner.append(BlockRef(*flat[at + 2 : flat[at + 1]]))
            at = flat[at + 1]
        blocks += reversed(inner)


def outcome(stream: Bitstream) -> list[tuple[int, list[int]]] | None:
    try:
        return list(all_records(stream))
    except (BitstreamError, IndexError):
        return None


@needs_kernel
def test_kernel_reads_what_the_plain_reader_reads(bitcode: list[bytes]) -> None:
    for data in bitcode:
        plain = list(all_records(PlainBitstream(data)))
        assert len(plain) > 20
        assert list(all_records(NativeBitstream(data))) == plain


@needs_kernel
def test_kernel_goes_on_when_there_is_no_room(
    bitcode: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "_FIRST_ROOM", 1)
    data = bitcode[0]
    assert list(all_records(NativeBitstream(data))) == list(all_records(PlainBitstream(data)))


@needs_kernel
@pytest.mark.parametrize("seed", range(60))
def test_kernel_agrees_on_damaged_data(bitcode: list[bytes], seed: int) -> None:
    """The plain reader sees zeros behind the end where the kernel gives up; else they agree."""
    rng = random.Random(seed)
    data = bytearray(bitcode[seed % len(bitcode)])
    for _ in range(rng.choice((1, 4, 40))):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    if seed % 3 == 0:
        del data[rng.randrange(40, len(data)) & ~3 :]
    found = outcome(NativeBitstream(bytes(data)))
    if found is not None:
        assert outcome(PlainBitstream(bytes(data))) == found


def test_tables_without_the_kernel(bitcode: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    usual = [program_to_bytes(read_module(data, "a.c")) for data in bitcode]
    load_kernel.cache_clear()
    monkeypatch.setenv("HEAPFLOW_PLAIN_READER", "1")
    try:
        assert load_kernel() is None
        assert [program_to_bytes(read_module(data, "a.c")) for data in bitcode] == usual
    finally:
        monkeypatch.undo()
        load_kernel.cache_clear()
