"""Which of a build's flags decide what the program means, and how clang wants them written.

In:    the flags of a compiler call (`Command.flags`), written for GCC or any clang.
Out:   `Translation`: flags for our clang, and those that were dropped.
Guarantees: macros, include paths, language and target flags keep their order; flags about warnings,
       optimisation, debugging, dependency files, linking and diagnostics are gone; of a build's
       flags only
       those of `allowed.py` are left.
Not modelled: GCC plugins and spec files.

Flags that the user typed are the user's own: what is in no table is passed on. What clang refuses
is read off
its own message (`refused_flags`) and dropped by `compiler.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from heapflow.frontend.allowed import ALLOWED_VALUES, is_allowed, is_allowed_value
from heapflow.frontend.commandline import VALUE_OPTIONS


@dataclass(frozen=True, slots=True)
class Translation:
    """Flags for clang, and the ones that were left out and could have meant something."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    silent: tuple[str, ...] = ()  # left out because they change nothing that the analysis sees


# Flags with a value that the user may give; a build may only give the allowed ones.
_OWN_VALUES = ALLOWED_VALUES | frozenset(
    """-Xpreprocessor -Xclang -mllvm -arch --target -ivfsoverlay -include-pch --config -resource-dir
    -mthread-model -iframework -F""".split()
)
# Flags with a value that are about outputs and linking: nobody misses them.
_SILENT_VALUES = VALUE_OPTIONS - _OWN_VALUES
_SILENT = frozenset(
    """-pipe -pg -p -s -w -v -static -shared -rdynamic -pie -no-pie -static-pie -static-libgcc
    -shared-libgcc -nostdlib -nostartfiles -nodefaultlibs -nolibc -symbolic -pedantic
    -pedantic-errors --coverage -save-temps -time -Q -H -C -CC -P -fsyntax-only
    -emit-llvm -no-canonical-prefixes -MD -MMD -MP -MG -MV -fwhole-program -fopenmp
    -fopenmp-simd -fopenacc -ftrapv -fverbose-asm -fno-semantic-interposition
    -no-integrated-as -integrated-as -fintegrated-as -fno-integrated-as -qopenmp -r -N -n -t
    -fPIE -fpie -fno-pie -fno-PIE -fno-plt""".split()
)
# Optimisation, warnings, debugging, instrumentation, diagnostics: they change no meaning that the
# analysis sees, and some (sanitizers, coverage) would add code that is not the program's.
_SILENT_PREFIXES = """-O -g -W -MF -MT -MQ -MJ -dump -save-temps= -fsanitize -fno-sanitize -fdiagnostics
    -fno-diagnostics -fcolor-diagnostics -fno-color-diagnostics -fmessage-length -fprofile
    -fno-profile -ftest-coverage -fcoverage -flto -fno-lto -fuse-ld -fuse-linker-plugin
    -fstack-protector -fno-stack-protector -fstack-clash -fno-stack-clash -fcf-protection
    -fno-cf-protection -fdebug -fmacro-prefix-map -ffile-prefix-map -fvisibility
    -ffunction-sections -fdata-sections -fno-function-sections -fno-data-sections
    -fomit-frame-pointer -fno-omit-frame-pointer -ferror-limit -fmax-errors -frandom-seed
    -fdump -print- -L -l -Wl, -fpatchable -fembed-bitcode -ftime-report -D_FORTIFY_SOURCE
    -U_FORTIFY_SOURCE -fstack-usage -fcallgraph-info -ftree- -fno-tree-
    -funroll- -fno-unroll- -falign- -fno-align- -finline -fno-inline""".split()
_WRAPPED = ("-Wp,",)  # arguments for the preprocessor, comma-separated
# Only GCC has these; clang refuses most, and a few change how clang itself works.
_GCC_ONLY_PREFIXES = ("-fplugin", "-specs", "--specs", "-B", "-wrapper", "-no-", "-fanalyzer")


def translate_flags(
    flags: Sequence[str], refused: Collection[str] = (), own: bool = False
) -> Translation:
    """Flags for clang. `refused` are flags that it is known not to take, `own` ones are the user's."""
    kept: list[str] = []
    dropped: list[str] = []
    silent: list[str] = []
    queue = iter(flags)
    for flag in queue:
        words = [flag]
        if flag in VALUE_OPTIONS:
            value = next(queue, None)
            words += [] if value is None else [value]
            if value is None or flag in _SILENT_VALUES or _is_fortify(flag, value):
                silent.append(" ".join(words))
                continue
        elif flag.startswith(_WRAPPED):
            kept += _preprocessor_words(flag.split(",")[1:])
            continue
        elif _is_silent(flag):
            silent.append(flag)
            continue
        if flag == "-Xpreprocessor" and not own:
            words = _preprocessor_words(words[1:]) or words
        if _is_kept(words, own) and not _are_refused(words, refused):
            kept += words
        else:
            dropped.append(" ".join(words))
    return Translation(tuple(kept), tuple(dropped), tuple(silent))


def is_understood(flags: Sequence[str]) -> bool:
    """Whether every flag is known, so that all files it makes clang read are known too."""
    return not translate_flags(flags).dropped


def _is_kept(words: list[str], own: bool) -> bool:
    if own:
        return words[0] != "--" and not words[0].startswith(_GCC_ONLY_PREFIXES)
    return is_allowed_value(*words) if len(words) == 2 else is_allowed(words[0])


def _is_silent(flag: str) -> bool:
    return flag in _SILENT or (flag.startswith(tuple(_SILENT_PREFIXES)) and not _language(flag))


def _is_fortify(flag: str, value: str) -> bool:
    """Its wrappers would stand for the functions that are modelled."""
    return flag in ("-D", "-U") and value.startswith("_FORTIFY_SOURCE")


def _are_refused(words: list[str], refused: Collection[str]) -> bool:
    return _refused(words[0], refused) or _refused(" ".join(words), refused)


def _language(flag: str) -> bool:
    """Flags that look like a silent one and are not."""
    return flag.startswith(("-gcc-toolchain", "--gcc-toolchain", "-target"))


def _refused(flag: str, refused: Collection[str]) -> bool:
    return flag in refused or ("=" in flag and flag.partition("=")[0] + "=" in refused)


def _preprocessor_words(words: list[str]) -> list[str]:
    """`-Wp,-DX=1,-MD,file`: macros and include paths stay, dependency output goes."""
    found: list[str] = []
    queue = iter(words)
    for word in queue:
        if word in ("-MD", "-MMD", "-MF", "-MT", "-MQ"):
            next(queue, None)
        elif word in ("-D", "-U", "-I"):
            found.append(word + next(queue, ""))
        elif word.startswith(("-D", "-U", "-I")):
            found.append(word)
    return [word for word in found if is_allowed(word) and "_FORTIFY_SOURCE" not in word]


_IN_A_FILE = re.compile(r"^.*:\d+:\d+: .*$", re.M)  # what `#error` says is no complaint about flags
# clang's driver and cc1, versions 15 to 22, say these about flags; the group is the flag.
_UNKNOWN = re.compile(r"error: unknown argument:? '([^']+)'")
_COMPLAINTS = (
    _UNKNOWN,
    *(
        re.compile(pattern)
        for pattern in (
            r"error: unsupported option '([^']+)'",
            r"error: unsupported argument '[^']*' to option '([^']+)'",
            r"error: invalid argument '[^']*' to (-\S+)",
            r"error: invalid value '[^']*' in '([^']+)'",
            r"error: invalid integral value '[^']*' in '([^']+)'",
            r"error: invalid argument '([^']+)' not allowed with '[^']*'",
            r"error: invalid argument '([^']+)' only allowed with '[^']*'",
            r"error: the clang compiler does not support '([^']+)'",
            r"error: option '([^']+)' cannot be specified",
            r"error: argument to '([^']+)' is missing",
            r"error: unknown integrated tool '([^']+)'",
            r"error: no such file or directory: '(-[^']+)'",
        )
    ),
)
# These name a value, not the flag that carried it.
_VALUE_COMPLAINTS = (
    (re.compile(r"error: unknown target CPU '([^']+)'"), ("-march=", "-mcpu=", "-mtune=")),
    (re.compile(r"error: unknown target ABI '([^']+)'"), ("-mabi=",)),
    (re.compile(r"error: unsupported value '([^']+)'"), ("-std=", "-mcmodel=")),
)


def refused_flags(stderr: str) -> frozenset[str]:
    """The flags that clang's messages refuse; empty if the failure has another reason."""
    stderr = _IN_A_FILE.sub("", stderr)
    found = {match for complaint in _COMPLAINTS for match in complaint.findall(stderr)}
    for complaint, prefixes in _VALUE_COMPLAINTS:
        for value in complaint.findall(stderr):
            found.update(prefix + value for prefix in prefixes)
    return frozenset(found)


def unknown_flags(stderr: str) -> frozenset[str]:
    """Those among the refused flags that are refused whatever the file and the other flags are."""
    return frozenset(_UNKNOWN.findall(stderr))
