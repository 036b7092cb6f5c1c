"""A directory of the user's own, and a secret in it that tells the user's entries from those of others.

In:    a directory.      Out: the secret; b"" if the directory cannot be made or written.
Guarantees: the directory belongs to the user, is no symbolic link and is closed to everybody else
(0700), or
       `UserError` says what is wrong; the secret is a regular file of the user's that nobody else
       may read (0600).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, read_regular

_SECRET_NAME = "key"
_SECRET_BYTES = 32


def private_secret(directory: Path) -> bytes:
    """The secret of a private directory, which is made if it is not there."""
    try:
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _require_owner(directory.parent, {os.geteuid(), 0})
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        _require_owner(directory, {os.geteuid()})
        if directory.lstat().st_mode & 0o077:
            directory.chmod(0o700)
        return _secret(directory / _SECRET_NAME)
    except OSError:
        return b""


def _require_owner(directory: Path, owners: set[int]) -> None:
    """Raise `UserError` for a link, and for a directory of somebody else."""
    status = directory.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise UserError(f"{directory}: the cache cannot be a symbolic link\n{_ADVICE}")
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(str(directory))
    if status.st_uid not in owners:
        raise UserError(f"{directory}: the cache belongs to another user\n{_ADVICE}")


_ADVICE = "  set HEAPFLOW_CACHE_DIR to a directory of your own, or use --no-cache"


def _secret(path: Path) -> bytes:
    for _ in range(2):
        try:
            data = read_regular(path, _SECRET_BYTES, follow=False)
        except Refusal:
            data = b""
        if len(data) == _SECRET_BYTES and _is_ours_alone(path):
            return data
        _write_secret(path)
    return b""


def _is_ours_alone(path: Path) -> bool:
    """What others could read is no secret, and what they wrote is not ours."""
    status = path.lstat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _write_secret(path: Path) -> None:
    """A new secret, unless another run was faster: whole, and in the place of no whole one."""
    aside = path.with_name(f".tmp-key-{os.getpid()}-{secrets.token_hex(4)}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_SECRET_BYTES))
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(aside)
            return
        if path.is_symlink() or not _is_ours_alone(path) or path.stat().st_size != _SECRET_BYTES:
            aside.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            aside.unlink()
