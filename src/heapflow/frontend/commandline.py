"""Read a C compiler's command line: what it compiles, what it links, where the result goes.

In:    the arguments after the compiler's name, response files already expanded.
Out:   `Command`.
Guarantees: every argument ends up in exactly one field; the order of flags and of link inputs is the
       order on the command line, since both orders have meaning.
Not modelled: GCC spec files, and driver modes that are not C compilers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Stage(Enum):
    """How far the compiler goes."""

    NOTHING = "nothing"  # --version, -E, -M, -fsyntax-only: no code comes out
    ASSEMBLY = "assembly"  # -S
    OBJECT = "object"  # -c
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Command:
    """A compiler call, taken apart."""

    stage: Stage
    sources: tuple[str, ...]  # C files
    link_inputs: tuple[str, ...]  # objects, archives, shared libraries, and -lNAME, in order
    search: tuple[str, ...]  # -L directories
    output: str | None
    flags: tuple[str, ...]  # the rest, without the stage and the output
    # -x LANGUAGE before the last input, unless that is `none`; without an input, the last one.
    language: str = ""
    working: str = ""  # -working-directory: what relative names mean
    shared: bool = False  # -shared
    relocatable: bool = False  # -r: objects merged into an object
    exports: bool = False  # a program whose functions others may look up by name: -rdynamic


# Options whose value is the next argument. Those that may also be written joined are fine here too:
# only an argument that equals the option exactly takes the next one.
VALUE_OPTIONS = frozenset(
    """-o -I -D -U -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix
    -iwithprefixbefore -isysroot -imultilib -cxx-isystem -include-pch -x -MF -MT -MQ -MJ -L -l
    -u -T -e -z -h -Xlinker -Xassembler -Xpreprocessor -Xclang -Xanalyzer -mllvm -arch -target
    --target --sysroot --param -aux-info -A -B -G -wrapper -dumpbase -dumpbase-ext
    -dumpdir -framework -soname -rpath -main-file-name -install_name -current_version
    -compatibility_version --output --include --imacros --include-directory --define-macro
    --undefine-macro --language --library-directory --entry --dependencies-file --config
    -serialize-diagnostics --serialize-diagnostics -mthread-model -working-directory -ivfsoverlay
    -iwithsysroot -iframework -iframeworkwithsysroot -F -resource-dir -index-store-path
    -module-dependency-dir -dependency-file -dependency-dot -Xopenmp-target -bundle_loader
    -gcc-toolchain -stdlib++-isystem --sysroot --prefix --specs --print-file-name""".split()
)
C_SUFFIXES = frozenset({".c", ".i"})
OTHER_LANGUAGES = frozenset(
    """.s .S .sx .asm .cc .cp .cpp .cxx .CPP .C .c++ .ii .m .mm .mi .M .f .F .for .f77 .f90 .F90
    .f95 .f03 .f08 .go .d .adb .ads .h .hh .hpp .hxx .gch .pch .cu .bc .ll""".split()
)
C_LANGUAGES = frozenset({"c", "cpp-output"})
_STAGES = {"-c": Stage.OBJECT, "-S": Stage.ASSEMBLY}
# These stop the compiler before there is code, whatever else is on the line.
_NO_CODE = frozenset(
    """-E -M -MM -fsyntax-only --version -dumpversion -dumpfullversion -dumpmachine -dumpspecs
    -### --help -print-search-dirs -print-multi-lib -print-multiarch -print-multi-directory
    -print-sysroot -print-libgcc-file-name -print-multi-os-directory --print-search-dirs
    -emit-ast --analyze --preprocess --assemble-only -qversion -V""".split()
)
_NO_CODE_PREFIXES = ("--help=", "-print-file-name=", "-print-prog-name=", "--print-")
_EXPORTING = ("--export-dynamic", "-export-dynamic", "--dynamic-list", "-dynamic-list")
_LONG = {
    "--output": "-o",
    "--include": "-include",
    "--imacros": "-imacros",
    "--include-directory": "-I",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--language": "-x",
    "--library-directory": "-L",
    "--compile": "-c",
    "--assemble": "-S",
    "--preprocess": "-E",
}


def parse_command(arguments: Sequence[str]) -> Command:
    """Take a compiler's arguments apart. Reads no file."""
    parse = _Parse()
    queue = iter(arguments)
    for argument in queue:
        option, joined = _long_option(argument)
        if option in VALUE_OPTIONS and joined is None:
            value = next(queue, None)
            if value is not None:
                parse.option(option, value)
        elif joined is not None:
            parse.option(option, joined)
        elif option.startswith("-") and option != "-":
            parse.flag(option)
        else:
            parse.input(option)
    return parse.done()


def _long_option(argument: str) -> tuple[str, str | None]:
    """GNU long options in their short spelling; `--opt=value` comes apart."""
    if not argument.startswith("--"):
        return argument, None
    name, equals, value = argument.partition("=")
    if name in _LONG:
        return _LONG[name], value if equals else None
    return argument, None


class _Parse:
    """What is known after the arguments read so far."""

    def __init__(self) -> None:
        self.stage = Stage.LINK
        self.sources: list[str] = []
        self.link_inputs: list[str] = []
        self.search: list[str] = []
        self.output: str | None = None
        self.flags: list[str] = []
        self.language = ""
        self.of_input: str | None = None  # the language of the last input
        self.no_code = False
        self.shared = False
        self.relocatable = False
        self.exports = False
        self.working = ""

    def option(self, name: str, value: str) -> None:
        match name:
            case "-o":
                self.output = value
            case "-x":
                self.language = "" if value == "none" else value
            case "-working-directory":
                self.working = value
            case "-L":
                self.search.append(value)
            case "-l":
                self.link_inputs.append(f"-l{value}")
            case "-Xlinker" if value in ("-r", "-shared", "--relocatable"):
                self._link_mode(value)
            case "-Xlinker" if value.startswith(_EXPORTING):
                self.exports = True
                self.flags += [name, value]
            case _:
                self.flags += [name, value]

    def flag(self, argument: str) -> None:
        if argument in _STAGES:
            # -S wins over -c: it stops earlier.
            if self.stage is not Stage.ASSEMBLY:
                self.stage = _STAGES[argument]
        elif argument in _NO_CODE or argument.startswith(_NO_CODE_PREFIXES):
            self.no_code = True
        elif argument.startswith("-o") and not argument.startswith("-object"):
            self.output = argument[2:]
        elif argument.startswith("-x"):
            self.language = "" if argument == "-xnone" else argument[2:]
        elif argument.startswith("-working-directory="):
            self.working = argument.partition("=")[2]
        elif argument.startswith("-l"):
            self.link_inputs.append(argument)
        elif argument.startswith("-L"):
            self.search.append(argument[2:])
        elif argument in ("-shared", "-r", "--relocatable", "-dynamiclib", "-bundle"):
            self._link_mode(argument)
        else:
            if argument.startswith("-Wl,"):
                self._linker_words(argument.split(",")[1:])
            self.exports |= argument.startswith(("-rdynamic", *_EXPORTING))
            self.flags.append(argument)

    def _link_mode(self, argument: str) -> None:
        if argument in ("-r", "--relocatable"):
            self.relocatable = True
        else:
            self.shared = True

    def _linker_words(self, words: list[str]) -> None:
        for word in words:
            if word in ("-shared", "-r", "--relocatable"):
                self._link_mode(word)
            elif word == "-E" or word.startswith(_EXPORTING):
                self.exports = True
            elif word.startswith("-l") or Path(word).suffix in (".a", ".o"):
                self.link_inputs.append(word)

    def input(self, argument: str) -> None:
        self.of_input = self.language
        suffix = Path(argument).suffix
        if self.language:
            if self.language in C_LANGUAGES:
                self.sources.append(argument)
        elif suffix in C_SUFFIXES:
            self.sources.append(argument)
        elif suffix not in OTHER_LANGUAGES and argument != "-":
            self.link_inputs.append(argument)

    def done(self) -> Command:
        return Command(
            stage=Stage.NOTHING if self.no_code else self.stage,
            sources=tuple(self.sources),
            link_inputs=tuple(self.link_inputs),
            search=tuple(self.search),
            output=self.output,
            flags=tuple(self.flags),
            language=self.language if self.of_input is None else self.of_input,
            working=self.working,
            shared=self.shared,
            relocatable=self.relocatable,
            exports=self.exports,
        )
