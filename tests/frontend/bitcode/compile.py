"""Compile C for the tests of the reader, with the compiler that every installation has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import ziglang

FLAGS = (
    "-c -emit-llvm -g -O1 -Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers "
    "-fno-strict-aliasing -fno-inline -U__OPTIMIZE__ -fno-sanitize=undefined -fno-stack-protector -w"
).split()
ZIG = Path(ziglang.__file__).parent / "zig"


def compile_to_bitcode(source: Path, out: Path, *flags: str) -> bytes:
    """Bitcode straight from the compiler."""
    target = out / f"{source.stem}.bc"
    command = [str(ZIG), "cc", *FLAGS, *flags, "-o", str(target), source.name]
    done = subprocess.run(command, cwd=source.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target.read_bytes()
