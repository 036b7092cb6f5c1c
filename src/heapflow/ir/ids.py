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
NodeId = NewType("NodeId", int)  # of the value-flow graph
ObjectId = NewType("ObjectId", int)  # that points-to tells apart
LocationSetId = NewType("LocationSetId", int)  # a row of `location_sets`; -1: in a value
MemoryId = NewType("MemoryId", int)  # an object of one execution

NO_FUNC: Final = FuncId(-1)
NO_BLOCK: Final = BlockId(-1)
NO_VALUE: Final = ValueId(-1)
NO_INSTR: Final = InstrId(-1)
NO_NODE: Final = NodeId(-1)
IN_VALUE: Final = LocationSetId(-1)
