"""What is invented for one file: types, macros, variables, members; and the prelude that says so."""

from __future__ import annotations

from dataclasses import dataclass, field

ANY = "heapflow_any"  # the struct behind pointers of which nothing is known
LONG = "long {}"
POINTER = f"struct {ANY} *{{}}"
FUNCTION = "long (*{})()"
ARRAY = "long *{}"
STRUCT = f"struct {ANY} {{}}"
# A macro that begins a loop: its first argument takes values of which nothing is known.
LOOP = "(x, ...) while (((x) = (__typeof__(x))heapflow_next(__VA_ARGS__)))"
CALLEE = "long {}(void *)"
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
        """A type that was taken for a number is a pointer."""
        if name not in self.integers:
            return False
        del self.integers[name]
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
        lines += [f"typedef long {one};" for one in self.integers]
        lines += [f"typedef struct {one} {one};" for one in self.structs]
        lines += [f"typedef {pattern.format(one)};" for one, pattern in self.typedefs.items()]
        if self._uses_any():
            self.members.setdefault(ANY, {})
        for tag, members in self.members.items():
            inner = " ".join(f"{pattern.format(one)};" for one, pattern in members.items())
            lines.append(f"struct {tag} {{ {inner or 'long heapflow_member;'} }};")
        if LOOP in self.macros.values():
            lines.append("extern long heapflow_next();")
        for name, pattern in self.variables.items():
            lines.append(f"extern {pattern.format(name)};")
        lines += [f"#define {name}{rest}" for name, rest in self.macros.items()]
        return "".join(f"{line}\n" for line in lines)

    def _uses_any(self) -> bool:
        both = (*self.members.values(), *self.added.values())
        patterns = [one for members in both for one in members.values()]
        named = (*self.variables.values(), *self.typedefs.values())
        return any(ANY in one for one in (*patterns, *named))
