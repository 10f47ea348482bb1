"""``cdcoref rebuild``: a collection made anew."""

from __future__ import annotations

from cdcoref.cli.collection_options import (
    FileArgument,
    KindOption,
    MaxPairsOption,
    ModelOption,
    ThresholdOption,
    WithinStoriesOption,
    change_progress,
    chosen_options,
    say,
    say_report,
)
from cdcoref.cli.model_options import BatchOption, DeviceOption, PrecisionOption

EXAMPLES = ("cdcoref rebuild news.cdcoref", "cdcoref rebuild news.cdcoref --model my-model --threshold 0.6")


def rebuild(
    file: FileArgument,
    model: ModelOption = None,
    kind: KindOption = None,
    threshold: ThresholdOption = None,
    max_pairs: MaxPairsOption = None,
    within_stories: WithinStoriesOption = None,
    device: DeviceOption = None,
    precision: PrecisionOption = "auto",
    batch_tokens: BatchOption = None,
) -> None:
    """Rebuild a collection from its documents: predict all of them at once, then apply the corrections.

    A cluster keeps its id if it shares mentions with the cluster that had the id before. Options that you give replace
    those of the collection from now on.
    """
    from cdcoref.collection import Collection, counts_line
    from cdcoref.predict import load

    with Collection.open(file) as collection:
        options, batch = chosen_options(
            collection.options,
            within_stories,
            batch_tokens,
            kind=kind,
            threshold=threshold,
            max_pairs=max_pairs,
        )
        predictor = load(model or collection.model, device=device, precision=precision)
        with change_progress() as progress:
            report = collection.rebuild(predictor, model=model, options=options, batch_tokens=batch, progress=progress)
        say_report(report)
        say([f"{file}: {counts_line(collection.counts())}"])
