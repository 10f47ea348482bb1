"""``cdcoref rebuild``: a collection made anew."""

from __future__ import annotations

from cdcoref.cli.collection_options import FileArgument, Kept, change_progress, say_change
from cdcoref.cli.model_options import Computing

EXAMPLES = ("cdcoref rebuild news.cdcoref", "cdcoref rebuild news.cdcoref --model my-model --threshold 0.6")


def rebuild(file: FileArgument, kept: Kept, computing: Computing) -> None:
    """Rebuild a collection from its documents: predict all of them at once, then apply the corrections.

    A cluster keeps its id if it shares mentions with the cluster that had the id before. Options that you give replace
    those of the collection from now on.
    """
    from cdcoref.collection import Collection

    computing.check()
    with Collection.open(file) as collection:
        options = kept.changed(collection.options)
        predictor = computing.load(kept.model or collection.model)
        with change_progress() as progress:
            report = collection.rebuild(
                predictor, model=kept.model, options=options, **computing.batch, progress=progress
            )
        say_change(collection, file, report)
