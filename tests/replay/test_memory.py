"""Memory holds what was written: against an array of bytes."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from heapflow.replay.config import ReplayConfig
from heapflow.replay.evaluate import Model, evaluate
from heapflow.replay.memory import Accessor, Ground, Kind, Object
from heapflow.replay.term import Term, Value, mask
from heapflow.replay.terms import Terms

MOST_COPIED = ReplayConfig().most_copied_cells

_SIZE = 640  # more than is copied cell by cell
_WIDTHS = (1, 2, 3, 4, 8, 10, 16)


@dataclass(frozen=True)
class Step:
    """Something that is done to memory."""

    kind: str
    obj: int
    at: int
    size: int
    number: int
    other: int
    start: int


_STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(["write", "unknown", "read", "fill", "copy", "bytes", "peek", "fork"]),
        st.integers(0, 1),
        st.integers(0, 40),
        st.sampled_from([*_WIDTHS, 30, 600]),
        st.integers(0, mask(128)),
        st.integers(0, 1),
        st.integers(0, 40),
    ),
    max_size=25,
)


class _Both:
    """Objects, and what they should hold; unknowns get values when they are made."""

    def __init__(self, ground: Ground) -> None:
        self.terms = Terms()
        self.accessor = Accessor(self.terms, MOST_COPIED)
        self.objects = [Object(10 + i, Kind.HEAP, f"o{i}", 0) for i in range(2)]
        self.bytes = [bytearray(_SIZE), bytearray(_SIZE)]
        self.model: Model = {}
        for i, obj in enumerate(self.objects):
            obj.ground = ground
            obj.data = bytes(range(1, 9))
            self.bytes[i][:8] = obj.data
            if ground is Ground.UNKNOWN:
                for at in range(8, _SIZE):
                    self.bytes[i][at] = (at * 7 + i) & 0xFF

    def learn(self, value: Value) -> None:
        """Unknowns of the ground have the values that the model of the array has there."""
        if not isinstance(value, Term):
            return
        for atom in value.atoms:
            if atom not in self.model:
                name, at = self.accessor.origins[atom]
                size = self.terms.by_number[atom].width // 8
                data = bytes((i * 7 + int(name[1])) & 0xFF for i in range(at, at + size))
                self.model[atom] = int.from_bytes(data, "little")

    def do(self, step: Step) -> None:
        obj, data = self.objects[step.obj], self.bytes[step.obj]
        size = min(step.size, 16)
        match step.kind:
            case "write":
                value = step.number & mask(size * 8)
                self.accessor.write(obj, step.at, size, value)
                data[step.at : step.at + size] = value.to_bytes(size, "little")
            case "unknown":
                made = self.terms.fresh("u", size * 8)
                self.model[made.number] = step.number & mask(size * 8)
                self.accessor.write(obj, step.at, size, made)
                data[step.at : step.at + size] = self.model[made.number].to_bytes(size, "little")
            case "bytes":
                text = step.number.to_bytes(16, "little")[:size]
                self.accessor.write_bytes(obj, step.at, text)
                data[step.at : step.at + size] = text
            case "fill":
                self.accessor.fill(obj, step.at, step.size, step.number & 0xFF)
                data[step.at : step.at + step.size] = bytes([step.number & 0xFF]) * step.size
            case "copy":
                source = self.objects[step.other]
                self.accessor.copy(obj, step.at, source, step.start, step.size - 40)
                part = self.bytes[step.other][step.start : step.start + max(step.size - 40, 0)]
                data[step.at : step.at + len(part)] = part
            case "fork":
                self.objects[step.obj] = obj.copy(1)
            case "peek":
                found = self.accessor.peek(obj, step.at)
                if found is not None:
                    self.learn(found)
                    assert evaluate(found, self.model) == data[step.at]
            case _:
                self.check(step.obj, step.at, size)

    def check(self, index: int, at: int, size: int) -> None:
        found = self.accessor.read(self.objects[index], at, size)
        self.learn(found)
        wanted = int.from_bytes(self.bytes[index][at : at + size], "little")
        assert evaluate(found, self.model) == wanted


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([Ground.ZERO, Ground.UNKNOWN]), _STEPS)
def test_what_is_read_was_written(ground: Ground, steps: list[Step]) -> None:
    both = _Both(ground)
    for step in steps:
        if step.kind != "copy" or step.size > 40:
            both.do(step)
    for index in range(2):
        for at in range(0, 60, 3):
            both.check(index, at, _WIDTHS[at % len(_WIDTHS)])


def test_a_write_into_the_middle_leaves_both_ends() -> None:
    accessor, obj = Accessor(Terms(), MOST_COPIED), Object(1, Kind.HEAP, "o", 0)
    accessor.write(obj, 0, 8, 0x1122334455667788)
    accessor.write(obj, 2, 2, 0xAAAA)
    assert accessor.read(obj, 0, 8) == 0x11223344AAAA7788
    assert accessor.read(obj, 4, 4) == 0x11223344


def test_the_same_unknown_is_read_each_time() -> None:
    accessor, obj = Accessor(Terms(), MOST_COPIED), Object(1, Kind.WORLD, "o", 0)
    assert accessor.read(obj, 4, 4) is accessor.read(obj, 4, 4)
    assert accessor.read(obj, 4, 4) is not accessor.read(obj, 8, 4)
