"""Files and folders that are written completely or not at all, and replace what was there before."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cdlm.errors import InputError


def check_writable(output: Path) -> None:
    """Refuse the name of a file that cannot be written; called before long work.

    Raises
    ------
    InputError
        If its folder does not exist or cannot be written, or it is a folder itself.
    """
    folder = output.absolute().parent
    if not folder.is_dir():
        raise InputError("the folder of the output does not exist; create it first", output)
    if output.is_dir():
        raise InputError("the output is a folder; give the name of a file", output)
    if not output.exists():
        try:
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            message = f"the file cannot be written ({error.strerror}); choose another location"
            raise InputError(message, output) from None


@contextmanager
def replaced_file(target: Path) -> Iterator[Path]:
    """A new file that replaces `target` when the block ends without an error.

    If `target` is a symbolic link, the file that it points to is replaced. The permissions of a replaced file are kept.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    target = Path(os.path.realpath(target))
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
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


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A new folder that replaces `folder` when the block ends without an error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield new
    except BaseException:
        shutil.rmtree(new)
        raise
    new.chmod(0o755)
    for path in new.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
        folder.rename(old / "old")
        new.rename(folder)
        shutil.rmtree(old)
    else:
        new.rename(folder)


@contextmanager
def output_folder(folder: Path) -> Iterator[Path]:
    """The folder, created before the block begins; it is removed again if the block fails without output.

    Raises
    ------
    InputError
        If the folder cannot be created or written to.
    """
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
