"""``cdcoref publish``: upload a saved model to the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdcoref.cli.option_groups import option

EXAMPLES = ("cdcoref publish my-model my-organisation/my-model --private",)


def publish(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The model's folder.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name on the hub: ORGANISATION/MODEL.")],
    private: bool = option(False, "Make a new repository private.", "--private"),
) -> None:
    """Upload a model to the Hugging Face hub. Log in with `hf auth login` first.

    Only the model's own files are uploaded: configuration, weights, tokenizer, training record and model card.
    """
    from cdcoref.model import publish as publish_model

    print(publish_model(model, name, private=private))
