"""What a number refers to: rows of tables, told apart for the type checker.

At run time all of them are plain ints. Columns that say what they refer to are declared with these
types where they become lists; from there on they are passed along. -1 is "none" of each kind.
"""

from __future__ import annotations

from typing import Final, NewType

FuncId = NewType("FuncId", int)
BlockId = NewType("BlockId", int)
EdgeId = NewType("EdgeId", int)  # between blocks
InstrId = NewType("InstrId", int)
ValueId = NewType("ValueId", int)
TypeId = NewType("TypeId", int)
GlobalId = NewType("GlobalId", int)

NO_FUNC: Final = FuncId(-1)
NO_BLOCK: Final = BlockId(-1)
NO_VALUE: Final = ValueId(-1)
NO_INSTR: Final = InstrId(-1)
