"""A source tree without a build: compile what can be compiled, and say what was guessed.

In:    a directory, the compiler.
Out:   `SourceUnit`s with `tree` set; per unit bitcode and `Guesses`.
Guarantees: nothing of the tree is executed, and nothing is written into it; lines keep their numbers;
       every invention is named.
Not modelled: generated C files; which files make up which program; code for other systems.
"""
