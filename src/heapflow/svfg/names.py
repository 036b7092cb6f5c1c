"""Names of nodes and edges for people: stable, and the same in every output."""

from __future__ import annotations

from pathlib import Path

from heapflow.frontend.access import LARGEST, Access
from heapflow.memssa.dump import region_name
from heapflow.memssa.ssa import MemorySsa
from heapflow.support.files import Refusal, read_regular
from heapflow.svfg.graph import AddressChange, Direction, NodeKind, Svfg, VRule

RULE_NAMES = {
    VRule.COPY: "V-COPY",
    VRule.PHI: "V-PHI",
    VRule.SELECT: "V-COPY select",
    VRule.MU: "V-MU",
    VRule.CHI_VALUE: "V-CHI",
    VRule.CHI_OLD: "V-CHI old",
    VRule.REGION_PHI: "V-PHI",
    VRule.CSPAR: "V-CSPAR",
    VRule.CSRET: "V-CSPAR",
    VRule.CSMU_IN: "V-CSMU",
    VRule.CSMU: "V-CSMU",
    VRule.CSCHI: "V-CSCHI",
    VRule.CSCHI_OLD: "V-CSCHI old",
    VRule.TRANSFER: "copied memory",
    VRule.MODEL: "model",
}


class Names:
    """Names over one graph."""

    def __init__(self, ssa: MemorySsa, svfg: Svfg, access: Access | None = None) -> None:
        self.ssa, self.svfg, self.program = ssa, svfg, ssa.program
        self._access = access
        self._lines: dict[str, list[str]] = {}

    def source_line(self, file: str, line: int) -> str:
        """The text of a line, or "" if the file cannot be read or may not be shown."""
        if file not in self._lines:
            path = Path.cwd() / file
            try:
                data = self._access.read(path) if self._access else read_regular(path, LARGEST)
            except Refusal:
                data = b""
            self._lines[file] = data.decode("utf-8", errors="replace").splitlines()
        lines = self._lines[file]
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def line(self, instr: int) -> int:
        return self.program.position(instr)[1] if instr >= 0 else 0

    def value(self, value: int) -> str:
        """The variable that a value holds, or where it is computed."""
        return self.program.value_name(value)

    def node(self, node: int) -> str:
        """Function, and variable or region version."""
        nodes = self.svfg.nodes
        func = self.program.func_name(int(nodes.func[node]))
        kind = NodeKind(nodes.kind[node])
        if kind == NodeKind.VALUE:
            return f"{func}.{self.value(int(nodes.value[node]))}"
        version = f"{region_name(self.ssa, int(nodes.region[node]))}_{nodes.version[node]}"
        private = "'" if nodes.only_from[node] >= 0 else ""
        at = f"@{self.line(int(nodes.instr[node]))}" if nodes.instr[node] >= 0 else ""
        match kind:
            case NodeKind.ACTUAL_IN | NodeKind.EXIT:
                word = "μ̂" if kind == NodeKind.ACTUAL_IN else "exit"
                return f"{func}.{word}({version}){private}{at}"
            case _:
                return f"{func}.{version}{private}"

    def edge(self, edge: int) -> str:
        """Rule, parenthesis and what else a guard needs."""
        edges = self.svfg.edges
        words = [RULE_NAMES[VRule(edges.rule[edge])]]
        site = int(edges.site[edge])
        if edges.direction[edge] == Direction.CALL:
            words.append(f"(k@{self.line(site)}")
        elif edges.direction[edge] == Direction.RETURN:
            words.append(f")k@{self.line(site)}")
        if edges.condition[edge] >= 0:
            words.append("if true" if edges.side[edge] else "if false")
        if edges.change[edge] != AddressChange.EXACT:
            words.append(AddressChange(edges.change[edge]).name.lower())
        return " ".join(words)
