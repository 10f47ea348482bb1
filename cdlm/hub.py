"""Download of models from the Hugging Face hub, without a network if it was done before."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from cdlm.errors import InputError, first_line

TIMEOUT = 10.0
"""Seconds that the hub has to answer."""


def download(name: str, patterns: Sequence[str], otherwise: str | None = None) -> Path:
    """Download the files of a model on the hub, ``organisation/model``, into the hub's cache; their folder is returned.

    The wildcards `patterns` must match a safetensors file; if the model has none, `otherwise` is downloaded instead.
    Raises `InputError` if it is not the name of a model, the hub cannot be reached and the cache has no copy, or the
    model has no weights.
    """
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import GatedRepoError, HFValidationError, HTTPError, RepositoryNotFoundError

    try:
        files = [file.rfilename for file in HfApi().model_info(name, timeout=TIMEOUT).siblings or ()]
    except HFValidationError as error:
        raise InputError("this is neither a folder nor the name of a model on a hub", name) from error
    except GatedRepoError as error:
        raise InputError("this model is gated; accept its conditions on the hub and log in first", name) from error
    except RepositoryNotFoundError as error:
        raise InputError(
            "there is no such folder, and the hub has no model of this name; if the model is private, log in with "
            "`hf auth login`",
            name,
        ) from error
    except (OSError, HTTPError, ValueError) as error:
        return _cached(name, patterns, otherwise, error)
    wanted = [file for file in files if any(fnmatch(file, pattern) for pattern in patterns)]
    if not any(file.endswith(".safetensors") for file in wanted):
        if otherwise is None or otherwise not in files:
            raise InputError("this model on the hub has no safetensors weights, and no others are read", name)
        wanted.append(otherwise)
    try:
        return Path(snapshot_download(name, allow_patterns=wanted, etag_timeout=TIMEOUT))
    except (OSError, HTTPError, ValueError) as error:
        raise InputError(f"this model could not be downloaded from the hub ({first_line(error)})", name) from error


def _cached(name: str, patterns: Sequence[str], otherwise: str | None, reason: Exception) -> Path:
    """The folder with what was downloaded before, if the hub cannot be reached."""
    from huggingface_hub import constants, snapshot_download

    try:
        folder = snapshot_download(name, allow_patterns=[*patterns, otherwise or ""], local_files_only=True)
    except OSError as error:
        why = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else first_line(reason)
        raise InputError(
            f"there is no such folder, and the hub at {constants.ENDPOINT} cannot be asked for a model of this name "
            f"({why})",
            name,
        ) from error
    return Path(folder)
