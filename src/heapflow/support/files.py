"""Read files that somebody else may have put there: regular ones, of a bounded size; write whole files.

A device has no end, and a FIFO waits for a writer that never comes. A disk may be full.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


class Refusal(Exception):
    """Why a file is not read, in a few words."""


def read_regular(path: Path | str, largest: int, follow: bool = True) -> bytes:
    """The content of a regular file; raises `Refusal`. Without `follow` it may be no symbolic link."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        handle = os.open(path, flags if follow else flags | os.O_NOFOLLOW)
    except OSError as error:
        raise Refusal(error.strerror or str(error)) from error
    except ValueError as error:
        raise Refusal(str(error)) from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise Refusal("not a regular file")
    with os.fdopen(handle, "rb") as file:
        if status.st_size > largest:
            raise Refusal(f"larger than {largest // 1024**2} MB")
        try:
            data = file.read(largest + 1)
        except OSError as error:
            raise Refusal(error.strerror or str(error)) from error
    if len(data) > largest:
        raise Refusal(f"larger than {largest // 1024**2} MB")
    return data


def belongs_to_user(path: Path) -> bool:
    """Whether a file, and the link that leads to it, are ours or the system's."""
    trusted = {os.geteuid(), 0}
    try:
        return {path.lstat().st_uid, path.stat().st_uid} <= trusted
    except OSError:
        return False


def require_writable(path: Path) -> None:
    """Do what `write_whole` begins with, and undo it: an `OSError` now is none after the work.

    A pipe or device is only asked for its mode: to open one may wait, or do something.
    """
    real = Path(os.path.realpath(path))
    real.parent.stat()
    exists = real.exists()  # also says whether the name is too long
    if _is_written_in_place(real, exists):
        if not os.access(real, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if real.is_file():
            os.close(os.open(real, os.O_WRONLY | os.O_CLOEXEC))
        return
    aside, handle = _open_aside(real)
    os.close(handle)
    aside.unlink()


def _is_written_in_place(real: Path, exists: bool) -> bool:
    return exists and (not real.is_file() or not os.access(real.parent, os.W_OK))


def _open_aside(real: Path) -> tuple[Path, int]:
    aside = real.with_name(f".{real.name[:100]}.{os.urandom(6).hex()}")
    return aside, os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is complete, or as it was before; devices and pipes are written to."""
    real = Path(os.path.realpath(path))
    exists = real.exists()
    if _is_written_in_place(real, exists):
        real.write_text(text, "utf-8")
        return
    aside, handle = _open_aside(real)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        if exists:
            aside.chmod(stat.S_IMODE(real.stat().st_mode))
        aside.replace(real)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
