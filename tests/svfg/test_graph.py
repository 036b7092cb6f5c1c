"""The value-flow graph: the paper's edges, overwrites, sources and sinks, memory models."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.memssa.config import MemoryModel, MemorySsaConfig
from heapflow.memssa.ssa import MemorySsa
from heapflow.models.model import Alloc, Assign
from heapflow.support.graph import reach
from heapflow.svfg.check import check_svfg
from heapflow.svfg.dump import dump_svfg
from heapflow.svfg.graph import EscapeKind, NodeKind, SourceKind, Svfg, VRule
from heapflow.svfg.names import Names
from heapflow.svfg.slice import slice_from_source
from tests.svfg.programs import C_FILES, GOLDEN, from_text, load, value_flow


def flow(name: str) -> tuple[MemorySsa, Svfg]:
    ssa, svfg = value_flow(load([C_FILES / "svfg" / f"{name}.c"]))
    check_svfg(ssa, svfg)
    return ssa, svfg


def reached_from(svfg: Svfg, ssa: MemorySsa, line: int) -> set[str]:
    """Names of the nodes that the allocation on a line reaches."""
    names = Names(ssa, svfg)
    roots = [
        int(svfg.sources.node[row])
        for row in range(len(svfg.sources))
        if names.line(int(svfg.sources.instr[row])) == line
    ]
    assert roots
    return {names.node(node) for node in reach(svfg.edges.start, svfg.edges.target, roots)}


def test_motivating_example() -> None:
    """TSE'14 Fig. 2c: 4 ← 2 by V-CSCHI, 7 ← 5 ← 4 by V-CSMU, 8 ← 7 by V-MU."""
    ssa, svfg = flow("motivating")
    text = dump_svfg(ssa, svfg)
    for head, edge in (
        ("readBuf.text%1", "readBuf.R1_1  [V-CHI]"),
        ("readBuf.R1_1", "readBuf.exit(R1_1)@11  [V-CSMU]"),
        ("readBuf.exit(R1_1)@11", "SerialReadBuf.R1_2  [V-CSCHI )k@22]"),
        ("SerialReadBuf.R1_2", "SerialReadBuf.μ̂(R1_2)@26  [V-CSMU]"),
        ("SerialReadBuf.μ̂(R1_2)@26", "freeBuf.R1_0  [V-CSMU (k@26]"),
        ("freeBuf.R1_0", "freeBuf.tmp%0  [V-MU]"),
        ("readBuf.buf%0", "SerialReadBuf.mbuf%4  [V-CSPAR )k@22]"),
        ("SerialReadBuf.mbuf%4", "freeBuf.fbuf  [V-CSPAR (k@26]"),
    ):
        block = (
            text.split(f"\n{head}  ")[-1] if f"\n{head}  " in text else text.split(f"{head}  ")[1]
        )
        edges = block.split("\n")[1:]
        own = edges[: next(i for i, line in enumerate(edges) if not line.startswith("    "))]
        assert f"    -> {edge}" in own, (head, edge)
    assert "free freeBuf.tmp%0: free by free" in text
    assert "free freeBuf.fbuf: free by free" in text


@pytest.mark.parametrize("name", ["motivating", "figure5", "overwrites"])
def test_golden(name: str, request: pytest.FixtureRequest) -> None:
    golden = GOLDEN / "svfg" / f"{name}.txt"
    text = dump_svfg(*flow(name))
    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


def leaves(found: set[str], function: str) -> bool:
    return any(name.startswith(f"{function}.exit(") for name in found)


def test_overwritten_value_ends_at_the_second_store() -> None:
    ssa, svfg = flow("overwrites")
    lines = (C_FILES / "svfg" / "overwrites.c").read_text().splitlines()

    def line_of(function: str, text: str) -> int:
        start = next(
            i for i, line in enumerate(lines) if f" {function}(" in line or f"*{function}(" in line
        )
        return next(i for i in range(start, len(lines)) if text in lines[i]) + 1

    def reaches_exit(function: str, text: str) -> bool:
        return leaves(reached_from(svfg, ssa, line_of(function, text)), function)

    assert not reaches_exit("overwritten", "malloc(1)")
    assert reaches_exit("overwritten", "malloc(2)")
    assert reaches_exit("kept_in_another_field", "malloc(1)")
    assert reaches_exit("overwritten_on_one_path", "malloc(1)")
    assert not reaches_exit("cleared", "malloc(1)")
    assert reaches_exit("chain", "malloc(1)")
    assert reaches_exit("same_block", "malloc(1)")


def test_out_parameter_is_a_source(tmp_path: Path) -> None:
    text = """#define _GNU_SOURCE
    #include <stdio.h>
    #include <stdlib.h>
    void f(int n) { char *s; if (asprintf(&s, "%d", n) < 0) return; free(s); }
    """
    _, svfg = value_flow(from_text(text, tmp_path))
    assert len(svfg.sources) == 1
    assert svfg.nodes.kind[svfg.sources.node[0]] == NodeKind.ACTUAL_OUT
    assert svfg.frees.node[0] in reach(
        svfg.edges.start, svfg.edges.target, svfg.sources.node.tolist()
    )


def test_out_parameter_replaces_where_the_model_says_so(tmp_path: Path) -> None:
    text = """#define _GNU_SOURCE
    #include <stdio.h>
    #include <stdlib.h>
    void f(int n) { char *s = malloc(1); if (asprintf(&s, "%d", n) < 0) return; free(s); }
    """
    _, svfg = value_flow(from_text(text, tmp_path))
    labels = svfg.edges.effect[svfg.edges.rule == VRule.CSCHI_OLD].tolist()
    assert len(labels) == 1
    assert isinstance(svfg.effects[labels[0]], Alloc)


def test_pointer_that_the_library_moves_leaves_nothing_behind(tmp_path: Path) -> None:
    text = """#define _GNU_SOURCE
    #include <stdlib.h>
    #include <string.h>
    void f(const char *s) { char *at = strdup(s); while (strsep(&at, ";")); free(at); }
    """
    _, svfg = value_flow(from_text(text, tmp_path))
    moves = svfg.edges.rule == VRule.TRANSFER
    assert moves.sum() == 1
    effect = svfg.effects[int(svfg.edges.effect[moves][0])]
    assert isinstance(effect, Assign) and effect.when
    assert not (svfg.edges.rule == VRule.CHI_OLD).any()


def test_realloc_is_source_and_free(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    char *f(char *p) { return realloc(p, 8); }
    char *g(void) { return f(malloc(4)); }
    """
    _, svfg = value_flow(from_text(text, tmp_path))
    assert SourceKind.REALLOC in svfg.sources.kind.tolist()
    assert len(svfg.frees) == 1


def test_memory_behind_a_pointer_that_nobody_sets_holds_nothing(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    struct s { char *a; }; extern struct s *open; struct s *open, *closed; static struct s *hidden;
    void f(void) { open->a = malloc(1); }
    void g(void) { closed->a = malloc(2); }
    void h(void) { hidden->a = malloc(3); }
    """
    ssa, svfg = value_flow(from_text(text, tmp_path))
    names = Names(ssa, svfg)
    assert {names.line(int(instr)) for instr in svfg.escapes.instr} == {3}


def test_escapes(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    extern struct s { char *a; } *table; struct s *table; char *kept; void unknown(char *);
    void direct(void) { kept = malloc(1); }
    void behind(void) { table = malloc(sizeof *table); table->a = malloc(2); }
    void passed(void) { unknown(malloc(3)); }
    void local(struct s *p) { p->a = malloc(4); }
    void nowhere(void) { struct s x; local(&x); free(x.a); }
    """
    ssa, svfg = value_flow(from_text(text, tmp_path))
    names = Names(ssa, svfg)
    found = {
        (names.line(int(i)), EscapeKind(k).name)
        for i, k in zip(svfg.escapes.instr.tolist(), svfg.escapes.kind.tolist(), strict=True)
    }
    assert found == {
        (3, "GLOBAL"),
        (4, "GLOBAL"),
        (4, "GLOBAL_MEMORY"),
        (5, "UNKNOWN_CALL"),
    }


def test_out_parameters_of_two_calls_are_apart(tmp_path: Path) -> None:
    """One store in the callee; at each call it writes what the argument points to."""
    text = """#include <stdlib.h>
    static void store(char **where, char *p) { *where = p; }
    char *f(void) {
      char *first, *second;
      store(&first, malloc(1));
      store(&second, malloc(2));
      free(first);
      return second;
    }
    """
    names = Names(*value_flow(from_text(text, tmp_path)))
    frees = set(names.svfg.frees.node.tolist())
    assert frees & set(slice_from_source(names, "input.c", 5).nodes)
    assert not frees & set(slice_from_source(names, "input.c", 6).nodes)


def test_copied_struct(tmp_path: Path) -> None:
    """memcpy keeps members apart by distance, and into a global it is an escape."""
    text = """#include <stdlib.h>
    #include <string.h>
    struct pair { char *a, *b; } kept;
    void fill(struct pair *p) { p->a = malloc(1); p->b = malloc(2); }
    void copy(struct pair *to, struct pair *from) { memcpy(to, from, sizeof *to); }
    void keep(struct pair *from) { memcpy(&kept, from, sizeof kept); }
    void use(void) {
      struct pair p, q; fill(&p); copy(&q, &p); keep(&p); free(q.a); free(q.b);
    }
    """
    ssa, svfg = value_flow(from_text(text, tmp_path))
    chosen = svfg.edges.rule == VRule.TRANSFER
    steps = set(
        zip(svfg.edges.sees[chosen].tolist(), svfg.edges.lands[chosen].tolist(), strict=True)
    )
    assert len(steps) == 2 and all(sees >= 0 and lands >= 0 for sees, lands in steps)
    assert {EscapeKind(kind).name for kind in svfg.escapes.kind.tolist()} == {"GLOBAL"}
    assert len(svfg.escapes) == 2
    check_svfg(ssa, svfg)


def test_helper_that_stores_behind_its_parameter(tmp_path: Path) -> None:
    """One store, decided at each call: global memory at some, the caller's own at others."""
    text = """#include <stdlib.h>
    struct item { struct item *next, *prev; };
    struct list { struct item *first; } registry, *current;
    static void add(struct list *l, struct item *i) { i->next = l->first; l->first = i; }
    static void wrap(struct list *l, struct item *i) { add(l, i); }
    void global(void) { add(&registry, malloc(sizeof(struct item))); }
    void behind(void) { wrap(current, malloc(sizeof(struct item))); }
    void local(void) { struct list l = {0}; wrap(&l, malloc(sizeof(struct item))); free(l.first); }
    void make(void) { current = malloc(sizeof *current); }
    """
    ssa, svfg = value_flow(from_text(text, tmp_path))
    names = Names(ssa, svfg)
    found = {
        (names.line(int(i)), EscapeKind(k).name)
        for i, k in zip(svfg.escapes.instr.tolist(), svfg.escapes.kind.tolist(), strict=True)
    }
    assert found == {(6, "GLOBAL_MEMORY"), (7, "GLOBAL_MEMORY"), (9, "GLOBAL")}


def pairs(path: Path, model: MemoryModel) -> set[tuple[int, int]]:
    """(allocating call, releasing call) that the graph connects, calls not matched."""
    _, svfg = value_flow(load([path]), MemorySsaConfig(memory_model=model))
    found = set()
    for row in range(len(svfg.sources)):
        nodes = set(reach(svfg.edges.start, svfg.edges.target, [int(svfg.sources.node[row])]))
        for free, node in zip(svfg.frees.instr.tolist(), svfg.frees.node.tolist(), strict=True):
            if node in nodes:
                found.add((int(svfg.sources.instr[row]), free))
    return found


@pytest.mark.parametrize("path", sorted((C_FILES / "leaks").glob("s*.c")), ids=lambda p: p.stem)
def test_memory_models_refine_each_other(path: Path) -> None:
    """The coarser the model, the more frees an allocation seems to reach, so the fewer leaks."""
    distinct = pairs(path, MemoryModel.DISTINCT)
    regions = pairs(path, MemoryModel.REGIONS)
    assert distinct <= regions <= pairs(path, MemoryModel.TOP_LEVEL)
