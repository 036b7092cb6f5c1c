"""Functions of the C library whose results are computed where contents are known.

One function per name: the call in, the result out; None: not computed, the model decides. `REFINED` are
those of whose result more is known than the model says: a new block's contents, the range of a number.
Guarantees: a function that raises a Choice has changed nothing that a second try would change again.
"""

from __future__ import annotations

from heapflow.replay.library.bounds import BOUNDED
from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.library.characters import CHARACTERS
from heapflow.replay.library.copying import ALLOCATING, COPYING, Refined
from heapflow.replay.library.descriptors import DUPLICATING
from heapflow.replay.library.errors import ERRORS
from heapflow.replay.library.host import HOST
from heapflow.replay.library.made import MADE
from heapflow.replay.library.mathematics import MATHEMATICS
from heapflow.replay.library.numbers import NUMBERS
from heapflow.replay.library.printing import PRINTING
from heapflow.replay.library.ranges import RANGES
from heapflow.replay.library.scanning import SCANNING
from heapflow.replay.library.sorting import SORTING
from heapflow.replay.library.text import TEXT
from heapflow.replay.library.tokens import TOKENS

LIBRARY: dict[str, Computed] = {
    **CHARACTERS,
    **COPYING,
    **ERRORS,
    **HOST,
    **MATHEMATICS,
    **NUMBERS,
    **PRINTING,
    **SCANNING,
    **SORTING,
    **TEXT,
    **TOKENS,
}

REFINED: dict[str, Refined] = {**ALLOCATING, **BOUNDED, **DUPLICATING, **MADE, **RANGES}

# Functions that write to memory.
WRITING = frozenset({**COPYING, **PRINTING, **SCANNING, **SORTING, **TOKENS})

__all__ = ["ALLOCATING", "LIBRARY", "REFINED", "WRITING", "LibraryCall"]
