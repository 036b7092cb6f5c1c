"""The flags of a build that may reach the compiler: a list of what is allowed, nothing else.

In:    one flag as a compile database has it.      Out: whether clang gets it.
A database comes with the tree, and the tree may come from anybody. Clang has flags that load code
(`-fpass-plugin=`, `-Xclang -load`, `--config=`) and flags that write files (`-ftime-trace=`,
`--serialize-diagnostics`), and gains more with every version. So only flags that decide what the
program means
are passed on: macros, include paths, the standard, the target, code generation.
Guarantees: no allowed flag names a file that clang writes or code that it runs; no word or value
that is
passed on
       begins with `@`, which clang would replace by the words of a file.
"""

from __future__ import annotations

import re

# Their value is the next word.
ALLOWED_VALUES = frozenset(
    """-I -D -U -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix -iwithprefixbefore
    -iwithsysroot -isysroot --sysroot -target""".split()
)
_TRIPLE = re.compile(r"[\w.-]+", re.ASCII)

# Joined with a path or any other text; clang's driver hands the text on as a word of its own.
# `-include-pch` is no header: its content is not checked by
# clang.
_WITH_TEXT = re.compile(
    r"(-D|-U|-I|-imacros|-isystem|-iquote|-idirafter|-iprefix|-iwithprefix|-iwithsysroot|-isysroot"
    r"|--sysroot=|--gcc-toolchain=|--gcc-install-dir=|-include(?!-pch))[^@-].*",
    re.DOTALL,
)

# Whole words, and words with a value that is no path.
_WORDS = frozenset(
    """-ansi -traditional -traditional-cpp -trigraphs -no-trigraphs -undef -nostdinc -nostdlibinc
    -nobuiltininc
    -ibuiltininc -pthread -pthreads -EL -EB -fpack-struct""".split()
)
_WITH_WORD = re.compile(
    r"(--?std=|--target=|-fpack-struct=|-ftls-model=|-ffp-contract=|-ffp-model=|-ffp-eval-method="
    r"|-fexcess-precision=|-ffp-exception-behavior=|-finput-charset=|-fexec-charset=|-fwide-exec-charset="
    r"|-fms-compatibility-version=|-fmsc-version=|-fgnuc-version=|-fmax-type-align=|-fstrict-flex-arrays="
    r"|-flax-vector-conversions=|-ftrivial-auto-var-init=|-fclang-abi-compat=|-fabi-version=|-ffixed-"
    r"|-fcall-saved-|-fcall-used-|-fno-builtin-)[\w.,:+-]+",
    re.ASCII,
)

# `-fNAME` and `-fno-NAME`: the language, the layout of data, what calls and operations mean.
_F_NAMES = frozenset(
    """signed-char unsigned-char signed-bitfields unsigned-bitfields short-enums short-wchar
    short-double
    ms-extensions ms-compatibility borland-extensions plan9-extensions declspec blocks asm gnu-keywords
    gnu89-inline gnu-inline-asm dollars-in-identifiers extended-identifiers digraphs trigraphs
    double-square-bracket-attributes pascal-strings char8_t lax-vector-conversions
    allow-parameterless-variadic-functions
    nested-functions knr-functions cond-mismatch hosted freestanding builtin common wrapv wrapv-pointer
    strict-overflow strict-aliasing strict-enums strict-return strict-volatile-bitfields
    delete-null-pointer-checks PIC pic exceptions non-call-exceptions unwind-tables
    asynchronous-unwind-tables math-errno fast-math finite-math-only unsafe-math-optimizations
    associative-math reciprocal-math signed-zeros rounding-math trapping-math signaling-nans
    single-precision-constant cx-limited-range cx-fortran-rules fixed-point force-enable-int128
    emulated-tls zero-initialized-in-bss merge-all-constants merge-constants keep-static-consts
    keep-inline-functions pcc-struct-return reg-struct-return use-init-array optimize-sibling-calls
    jump-tables split-stack apple-pragma-pack aapcs-bitfield-width finite-loops""".split()
)
_F_FLAG = re.compile(r"-f(?:no-)?([A-Za-z][\w-]*)", re.ASCII)

# `-mNAME`, `-mno-NAME`, `-mNAME=WORD`: the processor and its conventions.
_M_NAMES = frozenset(
    """16 32 64 x32 arch cpu tune abi fpu float-abi fpmath cmodel isa endian thumb arm thumb-interwork
    apcs apcs-frame aapcs-linux tp tls-dialect tls-direct-seg-refs little-endian big-endian le be
    soft-float hard-float softfloat single-float double-float float-abi general-regs-only fp-ret-in-387
    80387 387 ieee-fp fancy-math-387 implicit-float red-zone stackrealign preferred-stack-boundary
    incoming-stack-boundary stack-alignment stack-arg-probe stack-probe-size regparm rtd align-double
    long-double-64 long-double-80 long-double-128 128bit-long-double 96bit-long-double ms-bitfields
    omit-leaf-frame-pointer accumulate-outgoing-args push-args skip-rax-setup indirect-branch
    indirect-branch-register indirect-branch-cs-prefix function-return harden-sls retpoline
    retpoline-external-thunk branch-protection sign-return-address speculative-load-hardening lvi-cfi
    lvi-hardening fentry nop-mcount record-mcount stack-protector-guard stack-protector-guard-reg
    stack-protector-guard-symbol stack-protector-guard-offset prefer-vector-width vzeroupper
    mmx sse sse2 sse3 ssse3 sse4 sse4.1 sse4.2 sse4a avx avx2 avx512f avx512cd avx512er avx512pf
    avx512bw avx512dq avx512vl avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512bitalg avx512vpopcntdq
    avx512bf16 avx512fp16 avx512vp2intersect avxvnni avxifma avx10.1 amx-tile amx-int8 amx-bf16
    3dnow 3dnowa
    aes vaes pclmul vpclmulqdq gfni sha sha512 sm3 sm4 bmi bmi2 lzcnt popcnt abm tbm fma fma4 f16c
    xop lwp
    cx16 cx8 sahf movbe crc32 crc rdrnd rdseed rdpid adx prfchw prefetchwt1 fxsr xsave xsaveopt xsavec
    xsaves clflushopt clwb clzero mwaitx fsgsbase rtm hle shstk pku ptwrite invpcid waitpkg movdiri
    movdir64b serialize tsxldtrk uintr kl widekl cldemote enqcmd wbnoinvd pconfig sgx
    unaligned-access strict-align restrict-it fix-cortex-a53-835769 fix-cortex-a53-843419
    low-precision-recip-sqrt outline-atomics sve-vector-bits pic-data-is-text-relative single-pic-base
    word-relocations long-calls relax small-data-limit save-restore div fdiv riscv-attribute plt
    abicalls dsp dspr2 msa mips1 mips2 mips3 mips4 mips5 mips32 mips32r2 mips32r3 mips32r5 mips32r6
    mips64 mips64r2 mips64r3 mips64r5 mips64r6 micromips mips16 fp32 fp64 fpxx xgot shared nan odd-spreg
    altivec vsx power8-vector power9-vector power10-vector crypto htm isel mfcrf minimal-toc
    longcall eabi spe multiple string update toc powerpc powerpc64 relocatable
    backchain packed-stack zarch esa vx explicit-relocs extern-sdata local-sdata embedded-data gpopt
    v8plus vis vis2 vis3 faster-structs flat app-regs cpu32 68000 68020 68040 mcu atom""".split()
)
_M_FLAG = re.compile(r"-m(?:no-)?([\w.-]+?)(?:=[\w.,:+-]*)?", re.ASCII)


def is_allowed(flag: str) -> bool:
    """Whether a flag that is one word may be passed on."""
    if flag in _WORDS or _WITH_TEXT.fullmatch(flag) or _WITH_WORD.fullmatch(flag):
        return True
    language = _F_FLAG.fullmatch(flag)
    if language is not None:
        return language[1] in _F_NAMES
    machine = _M_FLAG.fullmatch(flag)
    # A name may itself begin with `no-`, and the regular expression took that away.
    return machine is not None and machine[1] in _M_NAMES


def is_allowed_value(option: str, value: str) -> bool:
    """Whether an option and the word behind it may be passed on."""
    if option not in ALLOWED_VALUES or value.startswith(("@", "-")):
        return False
    return option != "-target" or _TRIPLE.fullmatch(value) is not None
