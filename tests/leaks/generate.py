"""Small random C programs whose leaks can be found by running them on all inputs.

In:    a seed.     Out: Program: C text of one entry function and its helpers, and its features.
An entry takes two ints, which it compares with 0..3 and with each other: -2..5 are all the inputs
that matter. It owns a few pointers, a flag, a structure on the stack and perhaps one on the heap. It
consists of branches, loops with a fixed count, frees, and calls of helpers that allocate, fill
out-parameters or free. Each allocation and each call has a line of its own, and each helper one
caller, so that a line names an allocation.
Not every program is safe: those that free twice or use freed memory are thrown away after the run.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

POINTERS = ("p", "q", "r")


@dataclass
class Program:
    """One entry function with its helpers."""

    name: str
    helpers: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    features: set[str] = field(default_factory=set)  # "loop", "alias", "owner", …: what is hard
    source: str = ""  # all of it, of a program that was not made of parts

    @property
    def text(self) -> str:
        if self.source:
            return self.source
        declare = [
            "  char *p = NULL, *q = NULL, *r = NULL;",
            "  struct pair s = {NULL, NULL};",
            "  int f = 0;",
            "  (void)p, (void)q, (void)r, (void)s, (void)f;",
        ]
        head = f"int {self.name}(int a, int b) {{"
        return "\n".join([*self.helpers, head, *declare, *self.body, "  return f;", "}", ""])


PRELUDE = """\
#include <stdlib.h>

struct pair {
  char *left, *right;
};

static char *kept[1024];
static int kept_count;

"""


def generate_program(name: str, seed: int) -> Program:
    return _Generator(name, seed).make()


class _Generator:
    def __init__(self, name: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.program = Program(name)
        self.helper_count = 0
        self.live: set[str] = set()  # what probably holds a block; a guess that makes leaks rarer
        self.statements: list[tuple[int, Callable[[int], None]]] = [
            (5, self.allocate),
            (3, self.allocate_in_helper),
            (3, self.fill_out_parameter),
            (6, self.free),
            (3, self.drop_in_helper),
            (2, self.set_flag),
            (2, self.store_field),
            (2, self.load_field),
            (1, self.copy),
            (1, self.keep),
            (2, self.heap_owner),
            (5, self.branch),
            (2, self.loop),
            (2, self.early_return),
        ]

    def make(self) -> Program:
        for _ in range(self.random.randint(3, 5)):
            self.statement(1)
        if self.random.random() < 0.9:
            self.release_all()
        return self.program

    def emit(self, depth: int, text: str) -> None:
        self.program.body.append("  " * depth + text)

    def pointer(self) -> str:
        return self.random.choice(POINTERS)

    def empty(self) -> str:
        """A pointer to assign to, which probably holds nothing, and now does."""
        empty = [p for p in POINTERS if p not in self.live]
        chosen = self.random.choice(empty if empty and self.random.random() < 0.9 else POINTERS)
        self.live.add(chosen)
        return chosen

    def full(self) -> str:
        """A pointer to give away, which probably holds a block, and now does not."""
        full = [p for p in POINTERS if p in self.live]
        chosen = self.random.choice(full if full and self.random.random() < 0.9 else POINTERS)
        self.live.discard(chosen)
        return chosen

    def statement(self, depth: int) -> None:
        weights, kinds = zip(*self.statements, strict=True)
        while True:
            kind = self.random.choices(kinds, weights)[0]
            if depth < 3 or kind not in (self.branch, self.loop, self.heap_owner):
                break
        kind(depth)

    def block(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 2)):
            self.statement(depth)

    # Statements

    def allocate(self, depth: int) -> None:
        self.emit(depth, f"{self.empty()} = malloc(8);")

    def allocate_in_helper(self, depth: int) -> None:
        name = self.helper_name("make")
        test = self.random.choice(("n > 1", "n == 2", "n < 1", "n != 0"))
        self.program.helpers += [
            f"static char *{name}(int n) {{",
            f"  if ({test}) return NULL;" if self.random.random() < 0.6 else "  (void)n;",
            "  return malloc(4);",
            "}",
        ]
        self.emit(depth, f"{self.empty()} = {name}({self.number()});")

    def fill_out_parameter(self, depth: int) -> None:
        name = self.helper_name("fill")
        test = self.random.choice(("n > 1", "n == 2", "n < 1", "n != 0"))
        self.program.helpers += [
            f"static int {name}(char **out, int n) {{",
            f"  if ({test}) return 0;",
            "  *out = malloc(4);",
            "  return 1;",
            "}",
        ]
        pointer = self.empty()
        call = f"{name}(&{pointer}, {self.number()})"
        if self.random.random() < 0.5:
            self.emit(depth, f"f = {call};")
            return
        self.emit(depth, f"if ({call}) {{")
        self.block(depth + 1)
        self.emit(depth, "}")

    def free(self, depth: int) -> None:
        pointer = self.full()
        self.emit(depth, f"free({pointer});")
        self.emit(depth, f"{pointer} = NULL;")

    def drop_in_helper(self, depth: int) -> None:
        name = self.helper_name("drop")
        test = self.random.choice(("n > 1", "n == 2", "n < 1", "n != 0"))
        self.program.helpers += [
            f"static int {name}(char *block, int n) {{",
            f"  if ({test}) return 0;",
            "  free(block);",
            "  return 1;",
            "}",
        ]
        pointer = self.full()
        self.live.add(pointer)
        self.emit(depth, f"if ({name}({pointer}, {self.number()}))")
        self.emit(depth + 1, f"{pointer} = NULL;")

    def set_flag(self, depth: int) -> None:
        self.emit(depth, f"f = {self.random.choice(('0', '1', self.comparison()))};")

    def store_field(self, depth: int) -> None:
        self.emit(depth, f"s.{self.side()} = {self.pointer()};")
        self.program.features.add("alias")

    def load_field(self, depth: int) -> None:
        pointer, side = self.empty(), self.side()
        self.emit(depth, f"{pointer} = s.{side};")
        self.emit(depth, f"s.{side} = NULL;")

    def copy(self, depth: int) -> None:
        source = self.full()
        target = self.random.choice([p for p in POINTERS if p != source])
        self.live.add(target)
        self.emit(depth, f"{target} = {source};")
        if self.random.random() < 0.7:
            self.emit(depth, f"{source} = NULL;")
        else:
            self.program.features.add("alias")

    def keep(self, depth: int) -> None:
        pointer = self.full()
        self.emit(depth, f"kept[kept_count++ & 1023] = {pointer};")
        self.emit(depth, f"{pointer} = NULL;")
        self.program.features.add("global")

    def heap_owner(self, depth: int) -> None:
        self.program.features.add("owner")
        self.emit(depth, "{")
        inner = depth + 1
        self.emit(inner, "struct pair *h = calloc(1, sizeof *h);")
        self.emit(inner, "if (!h) return -1;")
        self.emit(inner, f"h->{self.side()} = malloc(2);")
        self.block(inner)
        if self.random.random() < 0.7:
            self.emit(inner, "free(h->left);")
        if self.random.random() < 0.7:
            self.emit(inner, "free(h->right);")
        if self.random.random() < 0.9:
            self.emit(inner, "free(h);")
        self.emit(depth, "}")

    def branch(self, depth: int) -> None:
        self.emit(depth, f"if ({self.condition()}) {{")
        self.block(depth + 1)
        if self.random.random() < 0.4:
            self.emit(depth, "} else {")
            self.block(depth + 1)
        self.emit(depth, "}")

    def loop(self, depth: int) -> None:
        self.program.features.add("loop")
        count = self.random.randint(1, 3)
        self.emit(depth, f"for (int i = 0; i < {count}; i++) {{")
        self.block(depth + 1)
        if self.random.random() < 0.2:
            self.emit(depth + 1, f"if ({self.comparison()}) break;")
        self.emit(depth, "}")

    def early_return(self, depth: int) -> None:
        self.emit(depth, f"if ({self.condition()}) {{")
        for pointer in POINTERS:
            if self.random.random() < 0.9:
                self.emit(depth + 1, f"free({pointer});")
        self.emit(depth + 1, "return -1;")
        self.emit(depth, "}")

    def release_all(self) -> None:
        for number, pointer in enumerate(POINTERS):
            others = POINTERS[:number]
            if others and "alias" in self.program.features:
                self.program.features.add("identity")
                test = " && ".join(f"{pointer} != {other}" for other in others)
                self.emit(1, f"if ({test}) free({pointer});")
            else:
                self.emit(1, f"free({pointer});")
        if "alias" in self.program.features and self.random.random() < 0.6:
            for side in ("left", "right"):
                test = " && ".join(f"s.{side} != {pointer}" for pointer in POINTERS)
                extra = " && s.right != s.left" if side == "right" else ""
                self.emit(1, f"if ({test}{extra}) free(s.{side});")

    # Expressions

    def helper_name(self, verb: str) -> str:
        self.helper_count += 1
        return f"{self.program.name}_{verb}{self.helper_count}"

    def side(self) -> str:
        return self.random.choice(("left", "right"))

    def number(self) -> str:
        return self.random.choice(("a", "b", "0", "1", "2", "a"))

    def comparison(self) -> str:
        left = self.random.choice("ab")
        operator = self.random.choice(("==", "!=", "<", ">", "<=", ">="))
        right = self.random.choice(("0", "1", "2", "3", "a" if left == "b" else "b"))
        return f"{left} {operator} {right}"

    def condition(self) -> str:
        choice = self.random.random()
        if choice < 0.55:
            return self.comparison()
        if choice < 0.75:
            return self.random.choice(("f", "!f"))
        if choice < 0.9:
            self.program.features.add("null-test")
            return self.random.choice(("", "!")) + self.pointer()
        joint = self.random.choice(("&&", "||"))
        return f"{self.comparison()} {joint} {self.comparison()}"
