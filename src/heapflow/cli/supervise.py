"""A command in a process of its own, which can be ended at any moment.

Native libraries hold the interpreter while they work, and no signal is looked at meanwhile. So a small
process waits for the one that works: it ends that, and all that it started, when it is told to; and it
says what happened when the other one is killed or runs out of memory.
Guarantees: Ctrl-C, SIGTERM and a hang-up end the command at once with 128 plus the signal's number;
temporary files are removed. The cache is whole, since its entries are written under another name.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress

from heapflow.cli.said import flush, tell
from heapflow.support.errors import ExitCode

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AWAITED = (*_ENDING, signal.SIGTSTP, signal.SIGCHLD)
_DIE_WITH_PARENT = 1  # prctl: PR_SET_PDEATHSIG


def supervised(work: Callable[[], int]) -> int:
    """The exit status of `work`, done in another process."""
    directory = tempfile.mkdtemp(prefix="heapflow-")
    flush()  # what is buffered now would be written by both processes
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    child = os.fork()
    if not child:
        _become_worker(directory)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return work()
    with suppress(OSError):  # whoever is first; it may have ended already
        os.setpgid(child, child)
    signal.signal(signal.SIGCHLD, lambda _, __: None)  # or it would be dropped, on some systems
    status = None
    while status is None:
        number = signal.sigwait(_AWAITED)
        if number == signal.SIGCHLD:
            status = _status_of(child)
        elif number == signal.SIGTSTP:
            _pause(child)
        else:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            tell("heapflow: interrupted")
            status = 128 + number
    flush()
    shutil.rmtree(directory, ignore_errors=True)
    # Nothing of ours is buffered, and what the other process registered is none of our business.
    os._exit(status)


def _become_worker(directory: str) -> None:
    """A group of processes of its own; Ctrl-C goes to the one that waits."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # may write to the terminal
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    tempfile.tempdir = os.environ["TMPDIR"] = directory


def _pause(child: int) -> None:
    """Ctrl-Z stops both, and both go on."""
    os.killpg(child, signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGSTOP)
    os.killpg(child, signal.SIGCONT)


def _status_of(child: int) -> int | None:
    """None: it was only stopped."""
    ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        return None
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    tell(f"heapflow: error: {_what_happened(number)}")
    return ExitCode.COULD_NOT_RUN


def _what_happened(number: int) -> str:
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    name = signal.Signals(number).name
    if limit != resource.RLIM_INFINITY and number != signal.SIGKILL:
        return (
            f"the analysis was ended by {name}, most likely for want of memory: it may use "
            f"{limit >> 20} MB (ulimit -v); give it more, or less to analyse"
        )
    if number == signal.SIGKILL:
        return (
            "the analysis was killed, most likely for want of memory; --memory-limit ends it "
            "before, with a report of what was done by then"
        )
    return f"the analysis crashed with {name}; please report it with the input"
