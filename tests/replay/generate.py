"""Small random C programs without undefined behaviour that print what they computed.

In:    a seed.     Out: the text of a program.
Numbers of all widths, arrays with masked indices, structures by value and by pointer, bit-fields,
unions, calls, recursion, function pointers, switches, loops with a bound. Arithmetic is unsigned,
divisors are made odd, shift counts are masked: nothing that the program does is left open by C.
"""

from __future__ import annotations

import random

_TYPES = ("uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t")
_HEAD = r"""
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { uint8_t a; int64_t b; uint16_t c; };
struct bits { unsigned x : 5; int y : 7; uint64_t z : 33; };
union word { uint64_t whole; uint8_t part[8]; uint32_t half[2]; };
static uint64_t total;
static void show(uint64_t value) { total = total * 1099511628211u + value; }
"""


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.scalars: list[str] = []

    def number(self) -> str:
        bits = self.random.choice((3, 8, 16, 32, 63))
        return f"{self.random.getrandbits(bits)}u" + ("ll" if bits > 32 else "")

    def expression(self, depth: int = 3) -> str:
        """A value of type uint64_t."""
        choice = self.random.randrange(9) if depth else self.random.randrange(3)
        a = self.expression(depth - 1) if choice > 2 else ""
        b = self.expression(depth - 1) if choice > 2 else ""
        match choice:
            case 0:
                return f"(uint64_t){self.number()}"
            case 1 | 2:
                return f"(uint64_t){self.random.choice(self.scalars)}"
            case 3:
                return f"({a} {self.random.choice('+-*&|^')} {b})"
            case 4:
                return f"({a} {self.random.choice(('/', '%'))} ({b} | 1))"
            case 5:
                return f"({a} {self.random.choice(('<<', '>>'))} ({b} & 63))"
            case 6:
                operator = self.random.choice(("<", "==", "!=", ">="))
                return f"({a} {operator} {b} ? {self.expression(depth - 1)} : {b})"
            case 7:
                kind = self.random.choice(_TYPES)
                return f"(uint64_t)({kind}){a}"
            case _:
                return f"f{self.random.randrange(3)}({a}, (int32_t)({b} & 7))"

    def statement(self, depth: int) -> None:
        pad = "  "
        lines = self.lines
        match self.random.randrange(9 if depth else 6):
            case 0 | 1:
                lines.append(f"{pad}{self.random.choice(self.scalars)} = {self.expression()};")
            case 2:
                lines.append(f"{pad}array[{self.expression(1)} & 15] ^= {self.expression(2)};")
            case 3:
                field = self.random.choice(("p.a", "p.b", "p.c", "q->b", "w.part[3]", "w.half[1]"))
                lines.append(f"{pad}{field} = {self.expression(2)};")
            case 4:
                field = self.random.choice(("m.x", "m.y", "m.z"))
                lines.append(f"{pad}{field} = {self.expression(2)};")
                lines.append(f"{pad}show(m.x); show(m.y); show(m.z);")
            case 5:
                lines.append(f"{pad}p = turned(p, {self.expression(1)}); w.whole += p.b + q->c;")
            case 6:
                lines.append(f"{pad}if ({self.expression(2)} & 1) {{")
                self.block(depth - 1)
                lines.append(f"{pad}}} else {{")
                self.block(depth - 1)
                lines.append(f"{pad}}}")
            case 7:
                turns = self.random.randrange(1, 6)
                lines.append(f"{pad}for (int i{depth} = 0; i{depth} < {turns}; i{depth}++) {{")
                self.block(depth - 1)
                lines.append(f"{pad}}}")
            case _:
                lines.append(f"{pad}switch ({self.expression(2)} % 5) {{")
                for case in range(3):
                    lines.append(f"{pad}case {case}:")
                    self.block(depth - 1)
                    if self.random.random() < 0.7:
                        lines.append(f"{pad}  break;")
                lines.append(f"{pad}default: memmove(array + 3, array + 1, 40);")
                lines.append(f"{pad}}}")

    def block(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth)


def random_program(seed: int) -> str:
    """The program of a seed."""
    writer = _Writer(seed)
    pick = writer.random
    names = [f"v{i}" for i in range(8)]
    writer.scalars = ["n", "m0"]
    lines = [_HEAD]
    for index in range(3):
        before = "".join(
            f"static uint64_t f{i}(uint64_t n, int32_t m0);\n" for i in range(3) if i != index
        )
        body = writer.expression(2).replace(f"f{index}(", "f0(") if index else "n * 3 + m0"
        for other in range(index, 3):
            body = body.replace(f"f{other}(", "f0(") if index else body
        guard = f"if (m0 > 0) return f{index}(n ^ {writer.number()}, m0 - 1) + 1;"
        lines += [before, f"static uint64_t f{index}(uint64_t n, int32_t m0) {{"]
        lines += [f"  {guard}", f"  return {body};", "}"]
    lines += [
        "static struct pair turned(struct pair p, uint64_t n) {",
        "  struct pair r = {p.c, p.a + (int64_t)(n >> 8), p.b}; return r; }",
        "static uint64_t (*table[])(uint64_t, int32_t) = {f0, f1, f2};",
    ]
    writer.scalars = names
    lines += [f"static {pick.choice(_TYPES)} {name} = {pick.getrandbits(7)};" for name in names]
    lines += [
        "int main(void) {",
        "  uint64_t array[16] = {1, 2, 3};",
        "  struct pair p = {1, -2, 3};",
    ]
    lines += ["  struct pair *q = calloc(1, sizeof *q);", "  struct bits m = {1, -2, 3};"]
    lines += ["  union word w; w.whole = 5;"]
    writer.lines = lines
    for _ in range(14):
        writer.statement(2)
    lines += [f"  show({name});" for name in names]
    lines += [
        "  for (int i = 0; i < 16; i++) show(array[i]);",
        "  show(table[total % 3](total, 2));",
    ]
    lines += ["  show(p.a + p.b + p.c + q->b + w.whole);", "  free(q);"]
    lines += ['  printf("%016" PRIx64 " %d %s\\n", total, (int)v4, total & 1 ? "odd" : "even");']
    return "\n".join([*lines, "  return (int)(total & 63);", "}"]) + "\n"
