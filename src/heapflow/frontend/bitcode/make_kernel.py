"""Make decode.ll out of decode.c: `python -m heapflow.frontend.bitcode.make_kernel`.

For developers, after a change to decode.c. What belongs to one target, and hints that other versions of
LLVM may not know, are taken out of clang's output: the rest is correct on every little-endian machine.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_FLAGS = """-O2 -S -emit-llvm -ffreestanding -fno-strict-aliasing -fno-unroll-loops -fno-vectorize
    -fno-slp-vectorize -fno-asynchronous-unwind-tables -fno-stack-protector -Wall -Wextra
    --target=x86_64-unknown-none -o -""".split()
_HEADER = "; Made from decode.c by make_kernel.py; see there.\n"
_DROPPED_LINES = re.compile(
    r"^(;|source_filename|target |attributes |![0-9a-z.]).*\n", re.MULTILINE
)
_DROPPED_WORDS = re.compile(
    r" (?:dso_local|local_unnamed_addr|noundef|range\([^)]*\)|captures\([^)]*\)"
    r"|initializes\(\([^)]*\)\)|(?:read|write)only|nuw|nsw|nneg|disjoint|samesign|#\d+)(?=[ ,)])"
)


def make_kernel() -> str:
    """The text of decode.ll."""
    source = Path(__file__).with_name("decode.c")
    call = [sys.executable, "-m", "ziglang", "clang", *_FLAGS, str(source)]
    text = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    text = _DROPPED_LINES.sub("", text)
    text = re.sub(r", !(tbaa|llvm\.loop|prof) ![0-9]+", "", text)
    text = _DROPPED_WORDS.sub("", _DROPPED_WORDS.sub("", text))
    text = re.sub(r" #\d+$", "", text, flags=re.MULTILINE)
    return _HEADER + re.sub(r"\n{3,}", "\n\n", text).lstrip("\n")


if __name__ == "__main__":
    Path(__file__).with_name("decode.ll").write_text(make_kernel(), "utf-8")
