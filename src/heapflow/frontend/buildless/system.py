"""What this system has: headers by name, and what its headers declare.

In:    the compiler.      Out: `System`, which answers the questions of configure scripts.
Types, members and functions are asked all at once: a file with one declaration per question is
checked by the compiler, and those without an error exist. Nothing is linked or run.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from heapflow.frontend.buildless.packages import Packages
from heapflow.frontend.buildless.tree import read_text
from heapflow.frontend.compiler import Compiler, zig_path

# Where POSIX and GNU declare things; those that are missing are left out.
_HEADERS = """sys/types.h stdio.h stdlib.h string.h strings.h stdint.h inttypes.h stddef.h stdbool.h
    stdarg.h unistd.h errno.h fcntl.h signal.h time.h sys/time.h sys/stat.h sys/wait.h sys/socket.h
    sys/un.h sys/ioctl.h sys/mman.h sys/select.h sys/uio.h sys/resource.h sys/param.h sys/file.h
    sys/utsname.h sys/times.h sys/epoll.h sys/eventfd.h sys/signalfd.h sys/timerfd.h
    sys/inotify.h sys/random.h sys/prctl.h sys/sendfile.h sys/statvfs.h sys/statfs.h sys/vfs.h
    sys/xattr.h sys/sysinfo.h sys/mount.h sys/syscall.h sys/ipc.h sys/shm.h sys/sem.h
    netinet/in.h netinet/tcp.h netinet/ip.h netinet/ip6.h netinet/udp.h netinet/ip_icmp.h
    netinet/icmp6.h netinet/ether.h net/ethernet.h net/if_arp.h arpa/nameser.h sys/queue.h
    sys/auxv.h linux/types.h arpa/inet.h netdb.h net/if.h ifaddrs.h poll.h pthread.h sched.h
    semaphore.h dirent.h pwd.h grp.h shadow.h utmp.h utmpx.h utime.h termios.h pty.h syslog.h
    locale.h langinfo.h wchar.h wctype.h ctype.h limits.h float.h math.h setjmp.h assert.h
    getopt.h glob.h fnmatch.h regex.h libgen.h search.h ftw.h fts.h iconv.h dlfcn.h mntent.h
    paths.h err.h error.h endian.h byteswap.h execinfo.h malloc.h alloca.h spawn.h ucontext.h
    crypt.h resolv.h libintl.h nl_types.h""".split()
_EXTERN = re.compile(r"^extern\b[^;{}()]*?[\s*](\w+)\s*\(", re.M)
_FLAGS = ("-fsyntax-only", "-D_GNU_SOURCE", "-Wno-everything", "-ferror-limit=0", "-x", "c")


@dataclass
class System:
    """The headers and libraries beside the tree."""

    compiler: Compiler
    packages: Packages = field(default_factory=Packages)

    @cached_property
    def directories(self) -> tuple[str, ...]:
        """Where the compiler looks for `<x.h>`."""
        said = _run(self.compiler, ("-E", "-v", "-x", "c", "/dev/null"))
        _, _, rest = said.partition("search starts here:")
        listed = rest.partition("End of search list")[0].splitlines()
        return tuple(line.strip() for line in listed if line.strip().startswith("/"))

    def has_header(self, name: str) -> bool:
        return any(Path(one, name).is_file() for one in self.directories)

    def header_of(self, function: str) -> str:
        """The header that declares a function of the C library; "" if it is none."""
        return self._declares.get(function, "")

    @cached_property
    def _declares(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for header in _HEADERS:
            paths = (Path(one, header) for one in self.directories)
            text = next((read_text(str(one)) for one in paths if one.is_file()), "")
            for name in _EXTERN.findall(text):
                found.setdefault(name, header)
        return found

    def owns(self, name: str) -> bool:
        """Whether it is the C library's, the kernel's or the compiler's own."""
        return any(Path(one, name).is_file() for one in self._own) and self.has_header(name)

    @cached_property
    def _own(self) -> tuple[str, ...]:
        """Headers of a C library without anything else, as they come with the zig compiler."""
        zig = zig_path()
        if zig is None:
            return self.directories
        library = zig.parent / "lib"
        names = ("generic-glibc", "x86-linux-any", "any-linux-any", "x86_64-linux-gnu")
        return (str(library / "include"), *(str(library / "libc/include" / one) for one in names))

    def answers(self, questions: Iterable[str]) -> frozenset[str]:
        """Those declarations that are right, each given without its semicolon."""
        asked = list(dict.fromkeys(questions))
        lines = [f"#if __has_include(<{one}>)\n#include <{one}>\n#endif\n" for one in _HEADERS]
        with tempfile.TemporaryDirectory(prefix="heapflow-") as directory:
            file = Path(directory, "questions.c")
            body = "".join(f"{question};\n" for question in asked)
            file.write_text("".join(lines) + '#line 1 "questions"\n' + body, "utf-8")
            said = _run(self.compiler, (*_FLAGS, str(file)))
        if "fatal error" in said:
            return frozenset()
        wrong = {int(line) for line in re.findall(r"^questions:(\d+):\d+: error", said, re.M)}
        return frozenset(one for number, one in enumerate(asked, 1) if number not in wrong)


def _run(compiler: Compiler, words: tuple[str, ...]) -> str:
    try:
        run = subprocess.run(
            [*compiler.command, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stderr.decode("utf-8", "replace")
