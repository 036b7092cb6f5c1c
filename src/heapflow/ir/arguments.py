"""How a call passes its arguments: what `Operations.operand_number` of an argument means.

Arguments are those of the machine's convention: a small struct is passed as its one or two halves
(i64, double, <2 x float>; i24 for three bytes) and comes back as one value or a struct {i64, i64} of
them; a large one by a copy (`by_value_argument`) and through a pointer (STRUCT_RETURN_NUMBER).

**Variadic arguments** (x86-64). `va_arg` is no instruction: clang writes out its address computations.
A `va_list` is a struct of 24 bytes {i32 gp_offset, i32 fp_offset, ptr overflow_arg_area, ptr
reg_save_area}. `llvm.va_start(ptr)` fills it, `llvm.va_copy(to, from)` copies the 24 bytes,
`llvm.va_end` does nothing. The code that reads an argument
- of an integer or pointer type: if gp_offset <= 40 (unsigned), takes 8 bytes at reg_save_area +
  gp_offset and adds 8 to it; an i128 or a struct of two such halves takes 16 if gp_offset <= 32;
- of a float, double or vector of up to 16 bytes: if fp_offset <= 160, takes it at reg_save_area +
  fp_offset and adds 16; a struct of two such halves takes 32 if fp_offset <= 144, one of both kinds
  asks for both;
- otherwise, and for structs that are copied and long double, takes it at overflow_arg_area, which it
  first rounds up to 16 (`llvm.ptrmask`) for types aligned so, and adds the size, rounded up to 8.
The machine fills 6·8 bytes of general and then 8·16 bytes of vector registers (176 in all) behind
reg_save_area, named parameters included: gp_offset starts at 8 · (general registers that named
parameters took), fp_offset at 48 + 16 · (vector registers that they took). Who interprets the code may
pass all of them in memory instead: gp_offset 48, fp_offset 176, and each variadic operand behind
overflow_arg_area, one after the other, in steps of 8 bytes; i128, x86_fp80, vectors of 16 bytes and
copies aligned to 16 at multiples of 16. (Only a small struct whose alignment an attribute raises would
be read from another place: its halves do not tell.)

**Intrinsics**, functions with FuncFlag.INTRINSIC, that C brings about. Names end in types (`.i32`,
`.p0`, `.v4f32`).
- memory: memcpy, memcpy.inline, memmove, memset (to, from or byte, length, i1 volatile);
  threadlocal.address (its argument); ptrmask (pointer & mask); stacksave, stackrestore (the life of
  variable-length arrays); objectsize (pointer, i1 least, …: 0 if least, else -1 where unknown)
- integers: ctpop, ctlz and cttz (x, i1 zero is undefined), bswap, bitreverse, fshl, fshr, abs (x, i1),
  smax, smin, umax, umin, {s,u}{add,sub}.sat, {s,u}{add,sub,mul}.with.overflow (a struct {T, i1})
- floats: fabs, copysign, floor, ceil, trunc, rint, nearbyint, round, roundeven, minnum, maxnum, fma,
  fmuladd (x·y+z, not fused on plain x86-64), is.fpclass (x, i32 set of classes), powi; sqrt, pow, exp,
  log, sin, cos, lround, lrint and their like only under -fno-math-errno, else plain calls
- vectors: vector.reduce.*, those above element by element, x86.* behind the headers' SSE functions
- facts and hints: assume, is.constant (false will do), prefetch, annotation, lifetime.* (in foreign
  bitcode only). expect is none: it is read as FREEZE, a copy
- control: trap, debugtrap, ubsantrap, eh.sjlj.setjmp and longjmp, frameaddress, returnaddress,
  clear_cache, readcyclecounter, x86.rdtsc
Calls that compilers add: __muldc3, __divdc3 and their like for complex numbers, __atomic_* for atomic
objects of odd sizes. Division of i128 is an instruction.
"""

from __future__ import annotations

STRUCT_RETURN_NUMBER = -1  # the argument is the address of the space for the result
_ALIGN_BITS = 12


def by_value_number(size: int, align: int) -> int:
    """The number of an argument of which the callee gets a copy of `size` bytes."""
    return max(size, 0) << _ALIGN_BITS | min(align, (1 << _ALIGN_BITS) - 1)


def by_value_argument(number: int) -> tuple[int, int] | None:
    """Size and alignment of the copy that the callee gets; None of an argument passed as it is."""
    if number <= 0:
        return None
    return number >> _ALIGN_BITS, number & ((1 << _ALIGN_BITS) - 1)
