"""The table as a section of docs/unsoundness.md.

python -m heapflow.policies.page docs/unsoundness.md     writes the section anew
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Final

from heapflow.policies.policy import Policy, Shape
from heapflow.policies.table import POLICIES

_BEGIN: Final = "<!-- policies/table.py: begin -->\n"
_END: Final = "<!-- policies/table.py: end -->\n"
_WIDTH: Final = 118


def with_section(page: str) -> str:
    """A page with the section as the table has it now."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{section()}{_END}{after}"


def section() -> str:
    """All policies, by what they do."""
    parts = []
    for shape in Shape:
        rows = "".join(_bullet(policy) for policy in POLICIES if policy.shape is shape)
        parts.append(f"What {shape.value}:\n\n{rows}\n")
    return "\n" + "".join(parts)


def _bullet(policy: Policy) -> str:
    where = f"; {policy.origin}" if policy.origin else ""
    needed = f"(tests/c/{policy.needed_by}{where})"
    text = f"- **`{policy.name}`.** {policy.says} Lost: {policy.lost} {needed}."
    return textwrap.fill(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(with_section(target.read_text("utf-8")), "utf-8")
