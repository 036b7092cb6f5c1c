"""Source text for reports: lines, the expression at a place, the condition that a branch tests.

In:    files, places from debug information.      Out: text, "" where there is none.
Clang places the branch of `if (c)` and `c ? x : y` at the start of `c`, of `while`, `for` and
`switch` at the keyword, of `do` at the end of its body, and that of an operand before `&&` or `||`
at the operator. The branch on the last operand of an `if` is at the start (up to clang 18 or so) or
at the outermost operator (later), where the first operand's is too: the place of the tested value
tells them apart. A loop's branch tests the whole. Clang turns a leading `!` into swapped successors,
which `Condition.taken` turns back.
Not modelled: what a macro expands to; its call is the text, and which way it went is not said.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from heapflow.frontend.access import LARGEST, Access
from heapflow.report.ctext import mask, matching, split_operands, unwrap
from heapflow.support.files import Refusal, read_regular

_WORD = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_KEYWORD = re.compile(r"\b(if|while|for|switch)\s*\(")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)\s*$")
_BEFORE_QUESTION = re.compile(r"[^;{}?]*(?=\?)")
_OPERAND_START = re.compile(r"[;{}(,?:]|\breturn\b|(?<![=!<>])=(?!=)")
_KEPT_FILES = 1000
_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")  # and its wrapper: no text
_LONGEST = 200  # a longer condition is cut, with a mark


@dataclass(frozen=True, slots=True)
class Condition:
    """What a branch tests, as written."""

    text: str  # `!p`, `n == 0`; "" if the source is not there
    kind: str = ""  # "if", "while", "for", "switch", "ternary", "macro"; "" if unknown
    negated: bool = False  # the machine tests the text without its leading `!`
    start: tuple[int, int] = field(default=(0, 0), compare=False)  # line and column of the text

    def taken(self, successor: bool) -> str | None:
        """`Step.taken` for the branch's true (or false) successor; None if it cannot be told."""
        if self.kind == "macro":
            return None
        return "true" if successor != self.negated else "false"


class SourceFile:
    """One file; `code` has the same length as `text`, with comments and literals blanked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    @cached_property
    def code(self) -> str:
        return mask(self.text)

    def offset(self, line: int, column: int) -> int:
        """Of a place that exists, else -1. Columns count bytes of UTF-8, as compilers do."""
        if not 1 <= line <= len(self.lines):
            return -1
        text = self.lines[line - 1]
        before = len(text.encode()[: max(column - 1, 0)].decode(errors="ignore"))
        return self.starts[line - 1] + before

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (in bytes) of an offset."""
        line = self.line_of(offset)
        return line, len(self.text[self.starts[line - 1] : offset].encode()) + 1

    def line_of(self, offset: int) -> int:
        return min(bisect_right(self.starts, offset), len(self.lines))


NO_CASE = "no case"  # of a switch without `default`
_DEFAULT = re.compile(r"\bdefault\s*:")
_LONGEST_SWITCH = 200_000  # characters


class Sources:
    """Files by name, read once; a file that cannot be read, or may not be shown, has no lines."""

    def __init__(self, root: Path | str = ".", access: Access | None = None) -> None:
        self.root = Path(root)
        self.access = access
        self._file = lru_cache(maxsize=_KEPT_FILES)(self._read)

    def file(self, name: str) -> SourceFile:
        return self._file(name)

    def line(self, name: str, line: int) -> str:
        lines = self.file(name).lines
        return lines[line - 1].rstrip("\r") if 1 <= line <= len(lines) else ""

    def condition_at(
        self, name: str, line: int, column: int = 0, tested: tuple[int, int] | None = None
    ) -> Condition:
        """What the branch at a place tests.

        `tested` is line and column of the instruction that computes the tested value, unless that
        merges several (a phi): it lies in the operand that the branch is about.
        """
        file = self.file(name)
        offset = file.offset(line, column)
        if offset < 0 or not file.text.strip():
            return Condition("")
        if not column:
            found = _KEYWORD.search(file.code, offset, file.starts[line])
            offset = found.start() if found else offset
        value = file.offset(*tested) if tested and tested[1] else -1
        return _condition(file, offset, value)

    def case_label(self, name: str, line: int, column: int, number: int | None) -> str:
        """The label of the switch at a place that is taken: of a number, or for what has none."""
        body = self._switch_body(self.file(name), line, column)
        if number is None:
            return "default" if not body or _DEFAULT.search(mask(body)) else NO_CASE
        if 32 <= number < 127:
            literal = f"'{chr(number)}'" if chr(number) not in "'\\" else f"'\\{chr(number)}'"
            if re.search(rf"case\s*{re.escape(literal)}\s*:", body):
                return f"case {literal}"
        return f"case {number}"

    def _switch_body(self, file: SourceFile, line: int, column: int) -> str:
        offset = file.offset(line, column)
        opening = file.code.find("{", offset) if offset >= 0 else -1
        if opening < 0:
            return ""
        depth = 0
        for position in range(opening, min(len(file.code), opening + _LONGEST_SWITCH)):
            depth += (file.code[position] == "{") - (file.code[position] == "}")
            if depth == 0:
                return file.text[opening:position]
        return ""

    def expression_at(self, name: str, line: int, column: int) -> str:
        """The call or the word that starts at a place: `malloc(sizeof *p)`."""
        file = self.file(name)
        offset = file.offset(line, column)
        if offset < 0:
            return ""
        call = _CALL.match(file.code, offset)
        if call is not None:
            end = matching(file.code, call.end() - 1)
            return _squeeze(file.text[offset : end + 1]) if end >= 0 else call[1]
        word = _WORD.match(file.code, offset)
        return word[0] if word else ""

    def member_set(self, name: str, line: int, column: int, function: str, position: int) -> str:
        """`info` of `d->info = ` before a place, if `d` is that parameter of the function; else ""."""
        code = self.file(name).code
        before = self.line(name, line)[: max(column - 1, 0)]
        stored = re.search(r"\b(\w+)->(\w+)\s*=\s*(\([^()]*\)\s*)?$", before)
        head = re.search(rf"\b{re.escape(function)}\s*\(([^(){{}};]*)\)\s*\{{", code)
        if stored is None or head is None or position < 0:
            return ""
        names = [(re.findall(r"\w+", one) or [""])[-1] for one in head[1].split(",")]
        return stored[2] if names[position : position + 1] == [stored[1]] else ""

    def word_width(self, name: str, line: int, column: int) -> int:
        """How many characters to underline at a place."""
        file = self.file(name)
        offset = file.offset(line, column)
        word = _WORD.match(file.text, offset) if offset >= 0 and column else None
        return len(word[0]) if word else 1

    def _read(self, name: str) -> SourceFile:
        path = self.root.absolute() / name
        try:
            data = self.access.read(path) if self.access else read_regular(path, LARGEST)
        except Refusal:
            return SourceFile("")
        if data.startswith(_BITCODE):
            return SourceFile("")
        text = data.decode("utf-8", errors="replace")
        return SourceFile(text.replace("\r\n", "\n").replace("\r", "\n"))


def _condition(file: SourceFile, offset: int, value: int) -> Condition:
    code = file.code
    keyword = _KEYWORD.match(code, offset)
    if keyword is None and code[offset : offset + 1] == "}":  # the end of a `do` body
        keyword = re.compile(r"\}\s*(while)\s*\(").match(code, offset)
    if keyword is not None:
        return _of_keyword(file, keyword[1], keyword.end() - 1, None, value)
    opening = _enclosing(code, offset)
    if opening is not None:
        return _of_keyword(file, opening[0], opening[1], offset, value)
    macro = _CALL.match(code, offset)
    end = matching(code, macro.end() - 1) if macro else -1
    ternary = _ternary(file, offset, value)
    if ternary is not None:
        return ternary
    if end >= 0:
        return _cut(file, offset, end + 1, "macro")
    word = _WORD.match(code, offset)
    return Condition(word[0], "macro") if word else Condition("")


def _enclosing(code: str, offset: int) -> tuple[str, int] | None:
    """The keyword and parenthesis of the `if (`, `while (` … whose condition holds the offset."""
    depth = 0
    for position in range(offset - 1, max(offset - 5000, -1), -1):
        char = code[position]
        if char == ")":
            depth += 1
        elif char == "(" and depth:
            depth -= 1
        elif char == "(":
            word = _LAST_WORD.search(code[max(position - 20, 0) : position])
            if word is not None and word[1] in ("if", "while", "for", "switch"):
                return word[1], position
        elif char in "{}" and not depth:
            return None
    return None


def _of_keyword(
    file: SourceFile, kind: str, opening: int, offset: int | None, value: int
) -> Condition:
    """The condition in the parentheses, or the operand of it that is tested at the offset."""
    end = matching(file.code, opening)
    if end < 0:
        return Condition("")
    start, end = opening + 1, end
    if kind == "for":
        first, second = _for_condition(file.code, start, end)
        if offset is not None and not first <= offset < second:
            return _ternary(file, offset, value) or Condition("")
        start, end = first, second
    if offset is None or kind == "switch":
        return _cut(file, start, end, kind)
    return _operand(file, start, end, offset, kind, value)


def _for_condition(code: str, start: int, end: int) -> tuple[int, int]:
    parts = split_operands(code, start, end, (";",))
    return parts[1] if len(parts) == 3 else (end, end)


def _operand(
    file: SourceFile, start: int, end: int, offset: int, kind: str, value: int
) -> Condition:
    """Narrow a condition down to the operand that the branch at the offset tests."""
    code = file.code
    while True:
        start, end, negations = unwrap(code, start, end)
        question = split_operands(code, start, end, ("?",))
        if len(question) > 1 and max(offset, value) < question[0][1]:
            start, end, kind = *question[0], "ternary"
            continue
        parts = split_operands(code, start, end, ("&&", "||"))
        if len(parts) == 1:
            break
        computed = next((part for part in parts if part[0] <= value < part[1]), None)
        at_operator = next((part for part in parts if part[1] == offset), None)
        inside = next((part for part in parts if _within(code, part, offset, start)), None)
        start, end = computed or at_operator or inside or parts[-1]
    outer = _with_negations(code, start, negations)
    return _cut(file, outer, _end(code, outer, end), kind, negations % 2 == 1)


def _within(code: str, part: tuple[int, int], offset: int, start: int) -> bool:
    """Inside the part, but not at the start of it all, which stands for the last operand."""
    return part[0] <= offset < part[1] and (part[0] != start or code[start:offset].strip() != "")


def _with_negations(code: str, start: int, negations: int) -> int:
    """Go back over the `!` and the parentheses that `unwrap` went through."""
    position = start
    while negations:
        position -= 1
        if code[position] == "!":
            negations -= 1
    return position


def _end(code: str, start: int, end: int) -> int:
    """The end of the operand, with the parentheses that were opened from `start` on closed."""
    missing = code.count("(", start, end) - code.count(")", start, end)
    while missing > 0:
        end = code.index(")", end) + 1
        missing -= 1
    return end


def _ternary(file: SourceFile, offset: int, value: int) -> Condition | None:
    """The condition of `c ? x : y` that starts at the offset, or has an operator there."""
    code = file.code
    stop = _BEFORE_QUESTION.match(code, offset)
    if stop is None or code.count("(", *stop.span()) > code.count(")", *stop.span()):
        return None
    start = 0
    for found in _OPERAND_START.finditer(code, max(offset - 500, 0), offset):
        start = found.end()
    return _operand(file, start or offset, stop.end(), offset, "ternary", value)


def _cut(file: SourceFile, start: int, end: int, kind: str, negated: bool = False) -> Condition:
    blank = len(file.code[start:end]) - len(file.code[start:end].lstrip())
    text = _squeeze(file.text[start:end])
    return Condition(text, kind, negated, file.position(start + blank))


def _squeeze(text: str) -> str:
    """On one line, without comments, not too long."""
    kept = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    kept = " ".join(kept.replace("\\\n", " ").split())
    return kept if len(kept) <= _LONGEST else kept[: _LONGEST - 1] + "…"
