"""Functions that the program defines, but whose model holds: an allocator of the program's own."""
