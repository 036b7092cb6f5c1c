"""Random C programs full of pointers to pointers, structs, loops, calls and recursion."""

from __future__ import annotations

import random

PRELUDE = """#include <stdlib.h>
struct node { struct node *next; char *text; int number; };
struct node *kept;
int choose(int);
"""


def random_program(seed: int) -> str:
    """A program of a few functions; the same for the same seed."""
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = rng.randint(3, 6)
        self.lines: list[str] = []

    def program(self) -> str:
        heads = [
            f"struct node *f{i}(struct node *a, struct node **b, char **c)"
            for i in range(self.count)
        ]
        text = PRELUDE + "".join(head + ";\n" for head in heads)
        for number, head in enumerate(heads):
            self.lines = []
            self.function(number)
            text += head + " {\n" + "\n".join(self.lines) + "\n}\n"
        return text + self.main()

    def main(self) -> str:
        calls = "".join(
            f"  r = f{i}({self.rng.choice(['r', 'x', '&local'])}, &x, &t);\n"
            for i in range(self.count)
        )
        return (
            "int main(void) {\n  struct node *r = 0, *x = 0; char *t = 0; struct node local = {0};\n"
            f"{calls}  free(t); free(r);\n  return 0;\n}}\n"
        )

    def function(self, number: int) -> None:
        self.emit(1, "struct node *p = a, *q = 0, *s = 0; struct node **pp = &q; char *t = 0;")
        self.emit(1, "char **tt = &t; struct node *array[4] = {0};")
        for _ in range(self.rng.randint(4, 12)):
            self.statement(number, 1, 2)
        self.emit(1, f"return {self.rng.choice(['p', 'q', 's', 'a', '*pp'])};")

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def statement(self, number: int, depth: int, nest: int) -> None:
        pick = self.rng.random()
        if nest and pick < 0.2:
            word = self.rng.choice(["if", "while"])
            self.emit(depth, f"{word} (choose({self.rng.randint(0, 9)})) {{")
            for _ in range(self.rng.randint(1, 3)):
                self.statement(number, depth + 1, nest - 1)
            self.emit(depth, "}")
        elif pick < 0.32:
            callee = self.rng.randrange(self.count)
            first = self.rng.choice(["p", "q", "a", "*b", "s"])
            second = self.rng.choice(["b", "&p", "pp", "&a->next" if depth else "b"])
            third = self.rng.choice(["c", "tt", "&t"])
            self.emit(depth, f"s = f{callee}({first}, {second}, {third});")
        else:
            self.emit(depth, self.rng.choice(_SIMPLE))


_SIMPLE = [
    "p = malloc(sizeof *p);",
    "q = calloc(1, sizeof *q);",
    "t = malloc(8);",
    "if (p) p->text = malloc(4);",
    "if (p) p->next = q;",
    "if (p) q = p->next;",
    "*pp = p;",
    "p = *pp;",
    "*b = p;",
    "q = *b;",
    "*c = t;",
    "t = *c;",
    "*tt = malloc(3);",
    "pp = b;",
    "pp = &q;",
    "tt = c;",
    "free(t);",
    "free(p);",
    "if (a) free(a->text);",
    "if (a) { a->text = t; }",
    "array[choose(1) & 3] = p;",
    "s = array[choose(2) & 3];",
    "kept = q;",
    "s = choose(4) ? p : q;",
    "if (p && q) *p = *q;",
    "t = realloc(t, 20);",
]
