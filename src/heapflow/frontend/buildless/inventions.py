"""What is invented for one file: types, macros, variables, members; and the prelude that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

ANY = "heapflow_any"  # the struct behind pointers of which nothing is known
LONG = "long {}"
POINTER = f"struct {ANY} *{{}}"
FUNCTION = "long (*{})()"
ARRAY = "long *{}"
ELEMENTS = "long {}[1]"
_PART = "heapflow_of_"  # a struct of its own for what is one by value
STRUCT = f"struct {_PART}{{0}} {{0}}"
# A macro that begins a loop: its first argument takes values of which nothing is known.
LOOP = "(x, ...) while (((x) = (__typeof__(x))heapflow_next(__VA_ARGS__)))"
# The same with an argument that declares the variable.
DECLARING_LOOP = "(x, ...) for (x = heapflow_first(); heapflow_next(); )"
CALLEE = "long {}(void *)"
_BY_VALUE = re.compile(r"^(?:struct|union) (\w+) \w+$")
_FIRST_NUMBER = 70_000
# Types that standard headers define, for sources that rely on some other header to include them.
_KNOWN = {
    "stdbool.h": "bool",
    "stdint.h": """int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t
        intmax_t uintmax_t""",
    "stddef.h": "size_t ptrdiff_t wchar_t",
    "stdio.h": "FILE",
    "stdarg.h": "va_list",
    "time.h": "time_t clock_t",
    "sys/socket.h": "socklen_t sa_family_t",
    "netinet/in.h": "in_addr_t in_port_t",
    "pthread.h": "pthread_t pthread_mutex_t pthread_cond_t pthread_attr_t pthread_key_t",
    "dirent.h": "DIR",
    "signal.h": "sigset_t",
    "sys/types.h": """ssize_t pid_t uid_t gid_t off_t mode_t dev_t ino_t u_char u_short u_int u_long
        u_int8_t u_int16_t u_int32_t u_int64_t uint ushort ulong caddr_t loff_t""",
}
# Names of objects and macros, likewise.
_KNOWN_NAMES = {
    "stdbool.h": "true false",
    "stddef.h": "NULL offsetof",
    "stdio.h": "stdin stdout stderr EOF BUFSIZ SEEK_SET SEEK_CUR SEEK_END FILENAME_MAX",
    "stdlib.h": "EXIT_SUCCESS EXIT_FAILURE RAND_MAX",
    "stdint.h": """UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX INT32_MAX INT64_MAX INT32_MIN INT64_MIN
        SIZE_MAX INTPTR_MAX UINTPTR_MAX""",
    "limits.h": "INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN ULONG_MAX CHAR_BIT PATH_MAX NAME_MAX",
    "inttypes.h": "PRId64 PRIu64 PRIx64 PRId32 PRIu32 PRIx32 PRIuPTR PRIxPTR",
    "errno.h": "errno ENOENT EINTR EAGAIN EINVAL ENOMEM EEXIST EACCES EPERM EIO ERANGE EWOULDBLOCK",
    "fcntl.h": "O_RDONLY O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND O_NONBLOCK O_CLOEXEC F_GETFL F_SETFL",
    "signal.h": "SIGINT SIGTERM SIGKILL SIGHUP SIGCHLD SIGPIPE SIGALRM SIGUSR1 SIGUSR2 SIG_IGN SIG_DFL",
    "unistd.h": "STDIN_FILENO STDOUT_FILENO STDERR_FILENO environ R_OK W_OK X_OK F_OK",
    "sys/socket.h": "AF_INET AF_INET6 AF_UNIX AF_UNSPEC SOCK_STREAM SOCK_DGRAM SOL_SOCKET SO_REUSEADDR",
    "netinet/in.h": "INADDR_ANY INADDR_NONE IPPROTO_TCP IPPROTO_UDP INET_ADDRSTRLEN INET6_ADDRSTRLEN",
    "netdb.h": "NI_MAXHOST NI_MAXSERV NI_NUMERICHOST AI_PASSIVE",
    "sys/stat.h": "S_ISDIR S_ISREG S_IRUSR S_IWUSR S_IFMT S_IFDIR S_IFREG",
    "locale.h": "LC_ALL LC_CTYPE",
    "math.h": "M_PI NAN INFINITY",
    "sys/queue.h": """LIST_HEAD LIST_ENTRY SLIST_HEAD SLIST_ENTRY STAILQ_HEAD STAILQ_ENTRY TAILQ_HEAD
        TAILQ_ENTRY CIRCLEQ_HEAD CIRCLEQ_ENTRY""",
    "float.h": "DBL_MAX DBL_MIN FLT_MAX DBL_EPSILON",
}
HEADER_OF_NAME = {name: one for one, names in _KNOWN_NAMES.items() for name in names.split()}
HEADER_OF = {name: header for header, names in _KNOWN.items() for name in names.split()}


@dataclass(slots=True)
class Inventions:
    """By name; `banned` are those that turned out to be defined after all."""

    headers: dict[str, None] = field(default_factory=dict)
    included: dict[str, None] = field(default_factory=dict)  # headers that define what is missing
    undefined: dict[str, None] = field(default_factory=dict)  # macros of the compiler's own
    macros: dict[str, str] = field(default_factory=dict)  # with parameters and value
    variables: dict[str, str] = field(default_factory=dict)  # with a pattern for the declaration
    integers: dict[str, None] = field(default_factory=dict)
    structs: dict[str, None] = field(default_factory=dict)  # typedefs of structs of the same name
    typedefs: dict[str, str] = field(default_factory=dict)  # others, with a pattern
    members: dict[str, dict[str, str]] = field(default_factory=dict)  # of structs by their tags
    unions: dict[str, None] = field(default_factory=dict)  # among them
    forwards: dict[str, None] = field(default_factory=dict)  # tags that are only declared
    enums: dict[str, None] = field(default_factory=dict)
    added: dict[str, dict[str, str]] = field(default_factory=dict)  # to structs of the tree
    banned: set[str] = field(default_factory=set)
    numbers: int = 0  # handed out

    def number(self) -> int:
        """Of a macro whose value is unknown: each its own, since they may be cases."""
        self.numbers += 1
        return _FIRST_NUMBER + self.numbers

    def type_named(self, name: str, is_struct: bool) -> bool:
        """Invent a type; False if it cannot be helped."""
        if name in self.banned or name in {**self.integers, **self.structs, **self.typedefs}:
            return False
        if name in HEADER_OF:
            return self.include(HEADER_OF[name])
        (self.structs if is_struct else self.integers)[name] = None
        return True

    def include(self, header: str) -> bool:
        """A header that has what is missing."""
        if header in self.included:
            return False
        self.included[header] = None
        return True

    def macro(self, name: str, rest: str) -> bool:
        if name in self.banned or name in self.macros:
            return False
        self.macros[name] = rest
        return True

    def gives_back(self, name: str) -> bool:
        """A macro whose argument stays."""
        if name in self.banned or self.macros.get(name, "") not in ("", "(...)"):
            return False
        self.macros[name] = "(...) __VA_ARGS__"
        return True

    def variable(self, name: str, pattern: str) -> bool:
        if name in self.banned or name in self.variables:
            return False
        self.variables[name] = pattern
        return True

    def member(self, tag: str, name: str = "", pattern: str = LONG) -> bool:
        """A struct with an invented definition gains a member."""
        if tag in self.banned:
            return False
        known = self.members.get(tag)
        if known is not None and (not name or known.get(name) == pattern):
            return False
        known = self.members.setdefault(tag, {})
        if name:
            known[name] = pattern
        return True

    def alias(self, name: str, pattern: str) -> bool:
        """A type that the tree defines as another; saying it twice is no error."""
        if f"alias {name}" in self.banned or name in {
            **self.integers,
            **self.structs,
            **self.typedefs,
        }:
            return False
        self.banned.add(f"alias {name}")
        self.typedefs[name] = pattern
        return True

    def forward(self, tag: str) -> bool:
        """A struct that is declared before it is first named."""
        new = tag not in {**self.forwards, **self.members, **self.structs, **self.unions}
        if new:
            self.forwards[tag] = None
        return new

    def holds(self, name: str, struct: str) -> bool:
        """A member or variable that was taken for a number is a struct of the tree."""
        known = struct.rpartition(" ")[2] in self.members
        for table in (*self.added.values(), self.variables, *self.members.values()):
            if table.get(name) == LONG and (known or table not in self.members.values()):
                table[name] = f"{struct} {{}}"
                return True
        return False

    def counts(self, name: str) -> bool:
        """A member or variable that was taken for a pointer is a number; once."""
        for table in (*self.members.values(), *self.added.values(), self.variables):
            if table.get(name) == POINTER and f"counted {name}" not in self.banned:
                self.banned.add(f"counted {name}")
                table[name] = LONG
                return True
        return False

    def enumeration(self, tag: str) -> bool:
        """An enum of which nothing is known."""
        new = tag not in self.enums
        self.enums[tag] = None
        if tag in self.structs:
            del self.structs[tag]
            self.typedefs[tag] = f"enum {tag} {{}}"
        return new

    def unite(self, tag: str) -> bool:
        """What was taken for a struct is a union."""
        new = tag in self.members and tag not in self.unions
        self.unions[tag] = None
        return new

    def turn(self, name: str, to_struct: bool) -> bool:
        """A type that was taken for a number is a struct, or the other way round; once."""
        source, target = (
            (self.integers, self.structs) if to_struct else (self.structs, self.integers)
        )
        if name not in source or f"turned {name}" in self.banned:
            return False
        self.banned.add(f"turned {name}")
        del source[name]
        target[name] = None
        return True

    def point(self, name: str, pattern: str) -> bool:
        """A type that was taken for a number or a struct is a pointer."""
        if name not in {**self.integers, **self.structs}:
            return False
        self.integers.pop(name, None)
        self.structs.pop(name, None)
        self.typedefs[name] = pattern
        return True

    def add(self, struct: str, name: str) -> bool:
        """A member that a struct of the tree lacks."""
        if name in self.banned:
            return False
        known = self.added.setdefault(struct, {})
        new = name not in known
        known.setdefault(name, LONG)
        return new

    def forget(self, name: str) -> bool:
        """It is defined after all."""
        owners = [one for one in self.added.values() if one.pop(name, None) is not None]
        known = [
            table
            for table in (
                self.macros,
                self.variables,
                self.integers,
                self.structs,
                self.typedefs,
                self.members,
                self.enums,
            )
            if name in table
        ]
        if not known and not owners:
            return False
        for table in known:
            del table[name]
        self.banned.add(name)
        return True

    def prelude(self) -> str:
        """What is included before the file."""
        lines = [f"#undef {one}" for one in self.undefined]
        lines += [f"#include <{one}>" for one in self.included]
        lines += [f"struct {one};" for one in self.forwards]
        lines += [f"typedef long {one};" for one in self.integers]
        lines += [f"typedef struct {one} {one};" for one in self.structs]
        lines += [f"typedef {self.typedefs[one].format(one)};" for one in self._typedefs_in_order()]
        for tag in self._needed():
            self.members.setdefault(tag, {})
        lines += [self._definition(tag) for tag in self._in_order()]
        lines += [f"enum {one} {{ heapflow_{one} }};" for one in self.enums]
        if LOOP in self.macros.values() or DECLARING_LOOP in self.macros.values():
            lines.append("extern long heapflow_next(); extern void *heapflow_first();")
        for name, pattern in self.variables.items():
            lines.append(f"extern {pattern.format(name)};")
        lines += [f"#define {name}{rest}" for name, rest in self.macros.items()]
        return "".join(f"{line}\n" for line in lines)

    def _typedefs_in_order(self) -> list[str]:
        """Aliases after what they name."""
        ordered: dict[str, None] = {}
        for start in self.typedefs:
            chain = [start]
            while (
                base := self.typedefs[chain[-1]].split()[0]
            ) in self.typedefs and base not in chain:
                chain.append(base)
            ordered |= dict.fromkeys(reversed(chain))
        return list(ordered)

    def _definition(self, tag: str) -> str:
        members = self.members[tag]
        inner = " ".join(f"{pattern.format(one)};" for one, pattern in members.items())
        word = "union" if tag in self.unions else "struct"
        return f"{word} {tag} {{ {inner or 'long heapflow_member;'} }};"

    def _declared(self) -> list[str]:
        tables = (*self.members.values(), *self.added.values(), self.variables, self.typedefs)
        return [pattern.format(one) for table in tables for one, pattern in table.items()]

    def _needed(self) -> list[str]:
        """Structs that stand for what is not known."""
        found = re.findall(rf"\bstruct ({ANY}|{_PART}\w+)", " ".join(self._declared()))
        return list(dict.fromkeys(found))

    def _in_order(self) -> list[str]:
        """Structs after those that they have as members."""
        ordered: dict[str, None] = {}
        for start in self.members:
            pending = [start]
            while pending:
                held = [
                    one
                    for name, pattern in self.members[pending[-1]].items()
                    for one in _BY_VALUE.findall(pattern.format(name))
                    if one in self.members and one not in ordered and one not in pending
                ]
                if held:
                    pending.append(held[0])
                else:
                    ordered[pending.pop()] = None
        return list(ordered)
