"""One object through one function: where it goes, and what becomes of it."""
