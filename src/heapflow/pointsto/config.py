"""Settings of the points-to phase: every filter and limit, its default and its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """How far single pointers are followed through variables, also by later phases."""

    # Values on the way to where one comes from; beyond, it is its own origin.
    most_origins: int = 64
    # Values that equal one through copies; beyond, those found so far.
    most_copies: int = 256
    # Scalars of one type by which types are compared.
    most_leaves: int = 64


@dataclass(frozen=True, slots=True)
class PointsToConfig(WalkLimits):
    """Each filter can be switched off; what a filter may lose is in docs/unsoundness.md."""

    # Objects that cannot hold a pointer and values that only address plain data stay out: no later
    # phase asks through which object a byte was read, and they are most of a program's pointers.
    skip_pointer_free: bool = True
    # An object of a known struct is not reached by a pointer typed as an unrelated struct: untyped
    # containers (`void *data`) otherwise glue all types that pass through them together.
    type_filters: bool = True
    # The same for what is stored in a field that has a declared pointer type.
    field_filters: bool = True
    # memcpy and the like copy between places of the same struct, or of unknown type.
    copy_filters: bool = True
    # A call by value reaches only functions with as many parameters, of the same kinds.
    match_signatures: bool = True
    # A pointer of a declared function type points only to functions whose C types agree with it.
    match_prototypes: bool = True
    # A struct that is nowhere defined stands for the structs that are cast to it, not for anything.
    families: bool = True
    # A `void *` that becomes a typed variable where it is received is a pointer to that type.
    typed_receivers: bool = True
    # Call sites of allocator wrappers get heap objects of their own, through so many levels.
    clone_depth: int = 4
    # A wrapper that fixes the type of its block (a constructor) is told apart per call site only up
    # to so many call sites: all its blocks meet in the same lists, where they only make sets longer.
    constructor_sites: int = 3
    # A wrapper that copies what it is given into its block does so for each clone on its own.
    clone_copies: bool = True
    # An allocator that calls itself through a function pointer gets from that call no block that
    # none of its callers gets as its own.
    skip_own_blocks: bool = True
    # A pointer to more places than this is one to anything: nothing is known of it. Generic code
    # for all types of a library (openssl's ASN.1) otherwise makes sets and edges grow without end.
    # Not reached by tmux, bash, openssh, apache2 and the like. 0: no limit.
    max_targets: int = 512
    # So many places are told apart in a block of which no type is known, or several; beyond, it is one
    # place. Blocks that are used as a struct have fewer; arenas that are walked through have more.
    max_untyped_places: int = 32
    # An object of unknown type and size has places up to here; what lies beyond is nowhere, or, in an
    # object of known size, one place.
    untyped_end: int = 512
    # So many elements of an array are copied into something whose parts are told apart.
    max_repeats: int = 64
    # Places that a pointer may have whatever it costs.
    fewest_targets: int = 8
    # Steps of the solver for each variable and place; beyond, `max_targets` is halved, as often as need
    # be. tmux, bash, openssh, redis and memcached take 1 to 7. 0: as many as it takes.
    max_steps_each: int = 40
    # All heap objects together; reached only by generated code. The rest share their wrapper's.
    max_heap_objects: int = 50_000
    # Values of one function whose sets are made smaller once more after that.
    most_refined: int = 10_000
    # Strong updates for address-taken locals within one function, after the solver.
    refine: bool = True


WITHOUT_FILTERS = PointsToConfig(
    skip_pointer_free=False,
    type_filters=False,
    field_filters=False,
    copy_filters=False,
    match_signatures=False,
    match_prototypes=False,
    families=False,
    typed_receivers=False,
    skip_own_blocks=False,
    max_targets=0,
    max_untyped_places=0,
    max_steps_each=0,
)


DEFAULTS: Final = PointsToConfig()
