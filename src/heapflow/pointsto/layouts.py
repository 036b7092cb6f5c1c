"""Layouts of abstract objects and the type filters on pointers (structure sensitivity).

In:    Program types.     Out: shapes and filters, as the solver's `Layouts`.
Paper: Balatsouras and Smaragdakis (SAS'16, structure sensitivity); Pearce et al. (TOPLAS'07, fields).
Example: an object of `struct S` is admitted by a filter for `struct T` at offset k only if a T (or a
         struct that begins like a T) starts there; an object of unknown type is always admitted.
Not modelled: objects reused under an unrelated type (docs/unsoundness.md#type-filters).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from heapflow.pointsto.config import DEFAULTS
from heapflow.pointsto.prototypes import Prototypes
from heapflow.pointsto.system import NO_FILTER
from heapflow.pointsto.typeref import VOID, Ref, TypeRef, TypeRefs

FUNC_TARGET: TypeRef = -(1 << 30) - 1  # the filter of function pointers
NO_TARGET: TypeRef = -(1 << 30) - 3  # the filter that nothing passes
POINTER_SIZE = 8
DATA_TARGET: TypeRef = -(1 << 30) - 2  # the filter of pointers to plain data


@dataclass(frozen=True, slots=True)
class Shape:
    """Layout of an object. Without types anything may lie anywhere in it."""

    types: tuple[TypeRef, ...]
    size: int  # -1 unknown
    repeats: bool = False  # an array of the type
    function: bool = False
    also: frozenset[TypeRef] = frozenset()  # pointees that are cast into this variable


class ObjectLayouts:
    """Shapes and filters by number; implements `system.Layouts`."""

    def __init__(
        self,
        refs: TypeRefs,
        *,
        filters: bool = True,
        content_filters: bool = True,
        copy_filters: bool = True,
        prototypes: bool = True,
        untyped_end: int = DEFAULTS.untyped_end,
    ) -> None:
        self.refs = refs
        self.untyped_end = untyped_end
        self.beyond = 0  # offsets that were asked for behind that end
        self.prototypes = Prototypes(refs, self._same_pointee)
        self.shapes: list[Shape] = []
        self.targets: list[frozenset[TypeRef]] = []  # filter number -> pointees let through
        self._filters_on = filters
        self._content_filters_on = content_filters
        self._copy_filter_on = copy_filters
        self._prototypes_on = prototypes
        for name in ("_admits_in", "_begins_like", "_pointers", "copies", "_fits", "_alignment"):
            setattr(self, name, cache(getattr(self, name)))
        self._shape_number: dict[Shape, int] = {}
        self._filter_number: dict[frozenset[TypeRef], int] = {}
        self._admits: dict[tuple[int, int, int], bool] = {}
        self._offsets: dict[tuple[int, int], int] = {}
        self._content: dict[tuple[int, int], int] = {}
        # Places that are known to hold pointers of other types too: (struct, offset) -> types.
        self.extra_content: dict[tuple[TypeRef, int], set[TypeRef]] = {}

    def shape(self, shape: Shape) -> int:
        number = self._shape_number.setdefault(shape, len(self.shapes))
        if number == len(self.shapes):
            self.shapes.append(shape)
        return number

    def pointer_filter(self, targets: frozenset[TypeRef]) -> int:
        """The filter of a pointer that is known to point to one of these types."""
        if not self._filters_on or not targets:
            return NO_FILTER
        known = frozenset(
            self._target(member)
            for ref in targets
            for member in self.refs.families.get(ref, (ref,))
        )
        if VOID in known:
            return NO_FILTER
        number = self._filter_number.setdefault(known, len(self.targets))
        if number == len(self.targets):
            self.targets.append(known)
        return number

    def _target(self, ref: TypeRef) -> TypeRef:
        if ref == NO_TARGET:
            return ref
        match self.refs.kind(ref) if ref > FUNC_TARGET else Ref.DATA:
            case Ref.STRUCT | Ref.UNION:
                return self.refs.canonical(ref)
            case Ref.FUNC:
                return ref if self._tells(ref) else FUNC_TARGET
            case Ref.DATA:
                return DATA_TARGET
            case Ref.ARRAY:
                return self._target(self.refs.elem(ref))
            case Ref.POINTER:
                return ref
            case _:
                return VOID

    # -- system.Layouts -----------------------------------------------------------------------

    def cell_offset(self, shape: int, offset: int) -> int:
        key = (shape, offset)
        known = self._offsets.get(key)
        if known is None:
            known = self._offsets[key] = self._cell_offset(self.shapes[shape], offset)
        return known

    def _cell_offset(self, shape: Shape, offset: int) -> int:
        if shape.function:
            return offset if offset == 0 else -1
        step = self._step(shape)
        if step:
            return self.refs.normalise(shape.types[0], offset % step)
        limit = shape.size if shape.size >= 0 else self.untyped_end
        if not 0 <= offset < max(limit, 1):
            self.beyond += offset >= 0 and shape.size < 0
            return -1
        if len(shape.types) != 1:
            return min(offset, self.untyped_end)  # the rest of a large block is one place
        inside = self.refs.size(shape.types[0])
        if 0 < inside <= offset and not self.refs.members_over(shape.types[0], offset):
            return inside  # what was allocated behind the struct is one place
        return self.refs.normalise(shape.types[0], offset)

    def _step(self, shape: Shape) -> int:
        if shape.repeats and len(shape.types) == 1:
            return max(self.refs.size(shape.types[0]), 0)
        return 0

    def element_size(self, shape: int) -> int:
        return self._step(self.shapes[shape])

    def pointer_offsets(self, shape: int) -> tuple[int, ...]:
        return tuple(
            offset
            for ref in self.shapes[shape].types
            for offset, token in self.refs.leaves(ref)
            if isinstance(token, tuple)
        )

    def admits(self, type_filter: int, shape: int, offset: int) -> bool:
        key = (type_filter, shape, offset)
        known = self._admits.get(key)
        if known is None:
            targets, place = self.targets[type_filter], self.shapes[shape]
            known = any(self._admits_target(target, place, offset) for target in targets)
            self._admits[key] = known
        return known

    def admits_somewhere(self, type_filter: int, shape: int) -> bool:
        places = range(0, self.untyped_end + POINTER_SIZE, POINTER_SIZE)
        return any(self.admits(type_filter, shape, offset) for offset in places)

    def is_untyped(self, shape: int) -> bool:
        place = self.shapes[shape]
        if place.function:
            return False
        return len(place.types) != 1 or not self._is_aggregate(place.types[0])

    def is_shapeless(self, shape: int) -> bool:
        place = self.shapes[shape]
        return len(place.types) != 1 and not place.function

    def _contains(self, outer: TypeRef, inner: TypeRef) -> bool:
        """Does one struct begin with the other, or with the same pointers?"""
        return inner in self.refs.structs_at(outer, 0) or self._begins_like(outer, inner, True)

    def copies(self, target: int, offset: int, source: int, source_offset: int) -> bool:
        to, of = self.shapes[target], self.shapes[source]
        if to.function or of.function:
            return False
        if not self._copy_filter_on:
            return True
        if offset % POINTER_SIZE or source_offset % POINTER_SIZE:
            return False  # in the middle of a word: text
        if not to.types or not of.types:
            return True
        return any(
            self._copies(one, offset, other, source_offset)
            for one in to.types
            for other in of.types
        )

    def _copies(self, one: TypeRef, at: int, other: TypeRef, other_at: int) -> bool:
        """Could what begins at the one place be of the type of what begins at the other?"""
        if 0 <= self.refs.size(one) <= at or 0 <= self.refs.size(other) <= other_at:
            return True  # behind the struct
        structs, others = self.refs.structs_at(one, at), self.refs.structs_at(other, other_at)
        if structs and others:
            if VOID in structs | others or structs & others:
                return True
            return any(
                self._contains(s, t) or self._contains(t, s) for s in structs for t in others
            )
        if not self._is_aggregate(one) or not self._is_aggregate(other):
            return True  # into or out of an array of words
        if structs or others:
            return False
        # Within structs: the same member of the same struct, or arrays of the same pointers.
        if set(self.refs.places_around(one, at)) & set(self.refs.places_around(other, other_at)):
            return True
        pointees, pointed = self.refs.pointees_at(one, at), self.refs.pointees_at(other, other_at)
        return any(
            p is not None and not self._says_nothing(p) and self.refs.canonical(p) == q
            for p in pointees
            for q in (self.refs.canonical(t) for t in pointed if t is not None)
        )

    def _is_aggregate(self, ref: TypeRef) -> bool:
        while self.refs.kind(ref) == Ref.ARRAY:
            ref = self.refs.elem(ref)
        return self.refs.kind(ref) in (Ref.STRUCT, Ref.UNION)

    def content_filter(self, shape: int, offset: int) -> int:
        if not self._content_filters_on:
            return NO_FILTER
        key = (shape, offset)
        known = self._content.get(key)
        if known is None:
            known = self._content[key] = self._content_filter(self.shapes[shape], offset)
        return known

    def _content_filter(self, shape: Shape, offset: int) -> int:
        if not shape.types:
            return NO_FILTER if offset % POINTER_SIZE == 0 else self._nothing()
        if not shape.also and not self._may_hold_pointer(shape, offset):
            return self._nothing()
        found: set[TypeRef] = set(shape.also)
        for ref in shape.types:
            for target in self.refs.pointees_at(ref, offset):
                # Data here: an integer that may hold a pointer, or a place between members.
                found.add(VOID if target is None else target)
            for place in self.refs.places_around(ref, offset) if self.extra_content else ():
                found |= self.extra_content.get(place, set())
        return self.pointer_filter(frozenset(found))

    def _may_hold_pointer(self, shape: Shape, offset: int) -> bool:
        """Is the place declared as a pointer, or could one be kept there in disguise?"""
        return offset % POINTER_SIZE == 0 or any(
            target is not None
            for ref in shape.types
            for target in self.refs.pointees_at(ref, offset)
        )

    def _nothing(self) -> int:
        """The filter of a place that no pointer fits into."""
        return self.pointer_filter(frozenset({NO_TARGET}))

    def is_view(self, ref: TypeRef, expected: TypeRef) -> bool:
        """May a pointer to `expected` designate an object of type `ref` without any trick?"""
        kinds = (self.refs.kind(ref), self.refs.kind(expected))
        if kinds[0] == kinds[1] == Ref.FUNC:
            return not self._tells(expected) or self._fits(expected, ref)
        if Ref.FUNC in kinds or Ref.DATA in kinds or kinds[0] == Ref.POINTER:
            return kinds[0] == kinds[1] and (
                kinds[0] != Ref.POINTER
                or self._same_pointee(self.refs.elem(ref), self.refs.elem(expected))
            )
        return self._admits_in(self._target(expected), ref, 0)

    # -- admission ----------------------------------------------------------------------------

    def _admits_target(self, target: TypeRef, shape: Shape, offset: int) -> bool:
        if target in (FUNC_TARGET, NO_TARGET):
            return shape.function and target == FUNC_TARGET
        if shape.function or self.is_function(target):
            return shape.function and self._admits_function(target, shape)
        if not shape.types:
            if offset % self._alignment(target):
                return False
            return shape.size < 0 or offset < max(shape.size, 1)  # also a block that is too small
        return any(self._admits_in(target, ref, offset) for ref in shape.types)

    def _alignment(self, target: TypeRef) -> int:
        """A pointer, or a struct with pointers that is not packed, begins at a whole word."""
        if target == DATA_TARGET:
            return 1
        if self.refs.kind(target) == Ref.POINTER:
            return POINTER_SIZE
        pointers = [at for at, token in self.refs.leaves(target) if isinstance(token, tuple)]
        if not pointers or any(at % POINTER_SIZE for at in (*pointers, self.refs.size(target))):
            return 1
        return POINTER_SIZE

    def is_function(self, target: TypeRef) -> bool:
        return target == FUNC_TARGET or (
            target > FUNC_TARGET and self.refs.kind(target) == Ref.FUNC
        )

    def _admits_function(self, target: TypeRef, shape: Shape) -> bool:
        return self.is_function(target) and all(self._fits(target, ref) for ref in shape.types)

    def _tells(self, ref: TypeRef) -> bool:
        """Is this function type one that only some functions have?"""
        return self._prototypes_on and not self.prototypes.says_nothing(ref)

    def _fits(self, wanted: TypeRef, found: TypeRef) -> bool:
        return self.prototypes.fit(wanted, found)

    def _admits_in(self, target: TypeRef, ref: TypeRef, offset: int) -> bool:
        size = self.refs.size(ref)
        if 0 <= size <= offset:
            return True  # behind the struct: nothing is known of it
        if target == DATA_TARGET:
            return None in self.refs.pointees_at(ref, offset)
        if self.refs.kind(target) == Ref.POINTER:
            wanted = self.refs.elem(target)
            return any(
                found is not None and self._same_pointee(wanted, found)
                for found in self.refs.pointees_at(ref, offset)
            )
        starting = self.refs.structs_at(ref, offset)
        if target in starting or VOID in starting:
            return True
        return any(self._begins_like(s, target) for s in starting)

    def _same_pointee(self, one: TypeRef, other: TypeRef) -> bool:
        """Pointers of these targets may be views of the same pointer."""
        kinds = (self.refs.kind(one), self.refs.kind(other))
        if Ref.UNKNOWN in kinds or self._is_byte(one) or self._is_byte(other):
            return True
        if kinds[0] != kinds[1]:
            return False
        if kinds[0] in (Ref.STRUCT, Ref.UNION):
            return self.refs.canonical(one) == self.refs.canonical(other)
        if kinds[0] == Ref.POINTER:
            return self._same_pointee(self.refs.elem(one), self.refs.elem(other))
        return True

    def _is_byte(self, ref: TypeRef) -> bool:
        return self.refs.kind(ref) == Ref.DATA and self.refs.size(ref) == 1

    def _begins_like(self, outer: TypeRef, prefix: TypeRef, exactly: bool = False) -> bool:
        """Structs that share their first pointers (`struct list { struct list *next; }`)."""
        size = self.refs.size(prefix)
        if self.refs.size(outer) < size:
            return False
        wanted, found = self._pointers(prefix, size), self._pointers(outer, size)
        if not wanted or wanted.keys() != found.keys():
            return False
        if exactly and any(self._says_nothing(ref) for ref in wanted.values()):
            return False
        return all(self._same_link(wanted[k], found[k], prefix, outer) for k in wanted)

    def _says_nothing(self, ref: TypeRef) -> bool:
        return self.refs.kind(ref) == Ref.UNKNOWN or self._is_byte(ref)

    def _pointers(self, ref: TypeRef, size: int) -> dict[int, TypeRef]:
        """Targets of the pointers in the first bytes of a struct, by offset."""
        return {
            offset: token[1]
            for offset, token in self.refs.leaves(ref)
            if isinstance(token, tuple) and offset < size
        }

    def _same_link(self, mine: TypeRef, its: TypeRef, prefix: TypeRef, outer: TypeRef) -> bool:
        if self.refs.canonical(mine) == prefix and self.refs.canonical(its) == outer:
            return True  # each points to its own kind
        return self._same_pointee(mine, its)
