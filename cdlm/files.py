"""Files and folders that are written completely or not at all, and replace what was there before."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cdlm.errors import InputError

LEFT_AFTER = 86_400.0
"""Seconds after which an unfinished file that nobody has written to is one that a killed process left."""
_UNFINISHED = ".part"


def check_writable(output: Path) -> None:
    """Refuse the name of a file that cannot be written or replaced; called before long work.

    Raises `InputError` if its folder does not exist or cannot be written, or it is a folder itself, or write-protected.
    """
    if _is_special(output):
        if not os.access(output, os.W_OK):
            raise InputError("the output cannot be written to; choose another location", output)
        return
    target = Path(os.path.realpath(output))
    if not target.parent.is_dir():
        raise InputError("the folder of the output does not exist; create it first", output)
    if target.is_dir():
        raise InputError("the output is a folder; give the name of a file", output)
    if target.exists() and not os.access(target, os.W_OK):
        raise InputError("the file exists and is write-protected; choose another name, or remove it", output)
    try:
        # An existing file is replaced by a new one beside it, which its folder has to allow.
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", suffix=_UNFINISHED):
            pass
    except OSError as error:
        other = "a shorter name" if error.errno == errno.ENAMETOOLONG else "another location"
        raise InputError(f"the file cannot be written ({error.strerror}); choose {other}", output) from None


@contextmanager
def replaced_file(target: Path) -> Iterator[Path]:
    """A new file that replaces `target` when the block ends without an error.

    If `target` is a symbolic link, the file that it points to is replaced. The permissions of a replaced file are kept.
    A device or a pipe, such as ``/dev/stdout``, is not replaced: it is `target` itself that is to be written to. What
    killed processes left beside it a day ago or earlier is removed. Raises `OSError` if the file cannot be written.
    """
    if _is_special(target):
        yield target
        return
    target = Path(os.path.realpath(target))
    _remove_left(target)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=_UNFINISHED)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _is_special(path: Path) -> bool:
    """Whether something is there that is neither a file nor a folder, such as a device or a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _remove_left(target: Path) -> None:
    """Remove unfinished files of a target that no process is writing any more."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*{_UNFINISHED}"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > LEFT_AFTER:
                part.unlink()


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A new folder that replaces `folder` when the block ends without an error.

    If `folder` is a symbolic link, the folder that it points to is replaced. The old folder is moved aside before the
    new one gets its name, and removed afterwards. If the process is killed in between, :func:`restore_folder` moves it
    back. Raises `InputError` if `folder` is a file. An error of the block about a file in the new folder names that of
    `folder` instead. Raises `OSError` if the folder cannot be written.
    """
    folder = Path(os.path.realpath(folder))
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file; choose a folder for the output", folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield new
    except BaseException as error:
        shutil.rmtree(new)
        if isinstance(error, InputError) and error.path is not None and Path(error.path).is_relative_to(new):
            raise InputError(error.message, folder / Path(error.path).relative_to(new), error.line) from error
        raise
    new.chmod(0o755)
    for path in new.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    restore_folder(folder)
    aside = _aside(folder)
    if aside.exists():  # a process was killed after the new folder was in place
        shutil.rmtree(aside)
    if folder.exists():
        folder.rename(aside)
        new.rename(folder)
        shutil.rmtree(aside)
    else:
        new.rename(folder)


def restore_folder(folder: Path) -> None:
    """Move a folder back to its name if a process was killed while it replaced the folder; called before reading it."""
    if not folder.exists():
        folder = Path(os.path.realpath(folder))
        with suppress(FileNotFoundError):  # nothing was moved aside, or another process was faster
            _aside(folder).rename(folder)


def _aside(folder: Path) -> Path:
    """Where the old folder is while a new one replaces it."""
    return folder.with_name(f".{folder.name}.old")


@contextmanager
def output_folder(folder: Path) -> Iterator[Path]:
    """The folder, created before the block begins; it is removed again if the block fails without output."""
    if folder.exists() and not folder.is_dir():
        raise InputError("this is not a folder; choose a folder for the output", folder)
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise InputError(f"the output folder cannot be written ({error.strerror})", folder) from error
        yield folder
    except BaseException:
        for path in new:
            with suppress(OSError):
                path.rmdir()
        raise


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
