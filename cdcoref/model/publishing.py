"""A saved model's folder in, a repository on the Hugging Face hub out."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from cdcoref.errors import InputError
from cdcoref.model.card import Metadata
from cdcoref.model.coref_model import CorefModel
from cdcoref.model.folder import CARD_FILE, CONFIG_FILE
from cdlm.hub import upload
from cdlm.tokens import TOKENIZER_FILES

FILES = (
    *(CONFIG_FILE, CARD_FILE, "training.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("added_tokens.json", "merges.txt", *TOKENIZER_FILES),
)
"""The files of a model beside its weights; anything else in its folder is not uploaded."""


def publish(folder: str | Path, name: str, *, private: bool = False) -> str:
    """Upload a saved model to the hub after checking that it can be read.

    An `InputError` if the folder holds no model or no model card, the hub cannot be reached, or no user with write
    access is logged in.
    """
    folder = Path(folder)
    if not folder.is_dir():
        what = "this is a file" if folder.exists() else "there is no such folder"
        raise InputError(f"{what}; name a folder with a saved model", folder)
    CorefModel.from_pretrained(folder)
    card = _card(folder / CARD_FILE)
    with TemporaryDirectory(prefix="cdcoref-model-") as place:
        parts = sorted(path.name for path in folder.glob("model*.safetensors*"))
        files = [*(file for file in FILES if (folder / file).is_file()), *parts]
        for file in files:
            shutil.copyfile(folder / file, Path(place) / file)
        (Path(place) / CARD_FILE).write_text(card, encoding="utf-8")
        return upload(Path(place), files, name, private=private)


def _card(path: Path) -> str:
    """The text of a model card, with a header for the hub if it has none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError("the model card, which the hub shows, is missing; write one", path) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the model card cannot be read ({error})", path) from error
    return text if text.startswith("---") else f"{Metadata().header()}\n{text}"
