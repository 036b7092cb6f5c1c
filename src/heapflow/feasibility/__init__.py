"""Whether a leak's condition can hold at all: arithmetic, by an SMT solver, for the few candidates."""
