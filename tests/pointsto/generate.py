"""Random C programs that move pointers about and log them."""

from __future__ import annotations

import random

PRELUDE = """#include <stdlib.h>
#include <string.h>
#include "truth.h"
struct t { int n; struct t *a, *b; };
struct s { struct t *t; struct s *next; struct t in; struct t many[2]; };
static struct t gt[3]; static struct s gs[2];
static struct t *pt[4]; static struct s *ps[4];
static struct t *(*fp)(struct t *, struct t *);
static struct t *first(struct t *x, struct t *y) { return x; }
static struct t *second(struct t *x, struct t *y) { if (y) y->a = x; return y; }
static struct s *make(struct t *x) { struct s *s = calloc(1, sizeof *s); s->t = x; return s; }
static void fill(struct t **out, struct t *x) { *out = x ? x : &gt[0]; }
"""


def generated_program(seed: int) -> str:
    """A program with forty random steps; every step keeps all pointers valid or null."""
    rng = random.Random(seed)
    steps = [_step(rng, number) for number in range(40)]
    logs = [f"  LOG({100 + i}, pt[{i}]); LOG({104 + i}, ps[{i}]);" for i in range(4)]
    objects = '  OBJ("gt", gt, sizeof gt); OBJ("gs", gs, sizeof gs);\n'
    objects += "  for (int i = 0; i < 4; i++) { pt[i] = &gt[i % 3]; ps[i] = &gs[i % 2]; }\n"
    loop = "  for (int round = 0; round < 3; round++) {\n"
    body = "\n".join(steps)
    return f"{PRELUDE}int main(void) {{\n{objects}{loop}{body}\n  }}\n" + "\n".join(logs) + "\n}\n"


def _step(rng: random.Random, number: int) -> str:
    i, j, k = (rng.randrange(4) for _ in range(3))
    choices = [
        f"pt[{i}] = pt[{j}];",
        f"ps[{i}] = ps[{j}];",
        f"if (ps[{j}]) pt[{i}] = &ps[{j}]->in;",
        f"if (ps[{j}]) pt[{i}] = &ps[{j}]->many[{k % 2}];",
        f"if (pt[{j}]) pt[{j}]->{rng.choice('ab')} = pt[{i}];",
        f"if (pt[{j}]) pt[{i}] = pt[{j}]->{rng.choice('ab')};",
        f"if (ps[{j}]) ps[{j}]->next = ps[{i}];",
        f"if (ps[{j}]) ps[{i}] = ps[{j}]->next;",
        f"if (ps[{j}]) ps[{j}]->t = pt[{i}];",
        f"if (ps[{j}]) pt[{i}] = ps[{j}]->t;",
        f'ps[{i}] = make(pt[{j}]); OBJ("h{number}", ps[{i}], sizeof *ps[{i}]);',
        f"if (ps[{i}] && ps[{j}] && ps[{i}] != ps[{j}]) *ps[{i}] = *ps[{j}];",
        f"if (pt[{i}] && pt[{j}] && pt[{i}] != pt[{j}]) memcpy(pt[{i}], pt[{j}], sizeof *pt[{i}]);",
        f"fp = {rng.choice(['first', 'second'])};",
        f"if (fp) pt[{i}] = fp(pt[{j}], pt[{k}]);",
        f"fill(&pt[{i}], pt[{j}]);",
        f"if (ps[{j}]) fill(&ps[{j}]->t, pt[{i}]);",
        f"LOG({number}, pt[{i}]);",
        f"LOG({number}, ps[{i}]);",
        f"if (pt[{i}]) LOG({number}, pt[{i}]->a);",
    ]
    return "  " + rng.choice(choices)
