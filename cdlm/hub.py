"""Models on the Hugging Face hub: a name in, a local folder out; and a folder in, a repository out.

What was downloaded before is used without a network. A hub that does not answer is reported within seconds, where
huggingface_hub itself would go on trying for half a minute and more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from cdlm.errors import InputError, first_line

TIMEOUT = 10.0
"""Seconds that the hub has to answer."""


def download(name: str, patterns: Sequence[str], otherwise: str | None = None) -> Path:
    """Bring the files of a model on the hub into the hub's cache.

    Parameters
    ----------
    name
        ``organisation/model``.
    patterns
        Which files to take, as wildcards. One of safetensors must be among them.
    otherwise
        A file to take where the model has no safetensors.

    Returns
    -------
    Path
        The folder with the files.

    Raises
    ------
    InputError
        If it is no name of a model, the hub cannot be reached and the cache has no copy, or the model has no weights.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import GatedRepoError, HFValidationError, HTTPError, RepositoryNotFoundError

    try:
        files = [file.rfilename for file in HfApi().model_info(name, timeout=TIMEOUT).siblings or ()]
    except HFValidationError as error:
        raise InputError("this is neither a folder nor the name of a model on a hub", name) from error
    except GatedRepoError as error:
        raise InputError("the hub gives this model only to those who have accepted its conditions", name) from error
    except RepositoryNotFoundError as error:
        raise InputError(
            "this is no folder, and the hub has no model of that name, or shows it only to those who are logged in "
            "(`hf auth login`)",
            name,
        ) from error
    except (OSError, HTTPError, ValueError) as error:
        return _cached(name, patterns, otherwise, error)
    wanted = [file for file in files if any(fnmatch(file, pattern) for pattern in patterns)]
    if not any(file.endswith(".safetensors") for file in wanted):
        if otherwise not in files:
            raise InputError("this model on the hub has no weights in safetensors, and no others are read", name)
        wanted.append(otherwise)
    try:
        return Path(snapshot_download(name, allow_patterns=wanted, etag_timeout=TIMEOUT))
    except (OSError, HTTPError, ValueError) as error:
        raise InputError(f"the model could not be downloaded from the hub ({first_line(error)})", name) from error


def _cached(name: str, patterns: Sequence[str], otherwise: str | None, reason: Exception) -> Path:
    """The folder with what was downloaded before, where the hub cannot be reached."""
    from huggingface_hub import constants, snapshot_download

    try:
        folder = snapshot_download(name, allow_patterns=[*patterns, otherwise or ""], local_files_only=True)
    except OSError as error:
        why = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else first_line(reason)
        raise InputError(
            "this is no folder, and whether it is a model on the hub is unknown: "
            f"{constants.ENDPOINT} cannot be reached ({why})",
            name,
        ) from error
    return Path(folder)
