"""``cdcoref publish``: upload a saved model to the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def publish(
    model: Annotated[Path, typer.Argument(help="The model's folder.")],
    name: Annotated[str, typer.Argument(help="Its name on the hub: ORGANISATION/MODEL.")],
    private: Annotated[bool, typer.Option("--private", help="Make the repository private if it is new.")] = False,
) -> None:
    """Upload a model to the Hugging Face hub; log in with `hf auth login` first.

    Only the model's own files are uploaded: configuration, weights, tokenizer, training record and model card.
    """
    from cdcoref.model import publish as publish_model

    print(publish_model(model, name, private=private))
