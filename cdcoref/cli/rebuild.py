"""``cdcoref rebuild``: a collection made anew."""

from __future__ import annotations

import sys

from cdcoref.cli.collection_options import (
    BatchOption,
    DeviceOption,
    FileArgument,
    KindOption,
    MaxPairsOption,
    MaxWindowsOption,
    ModelOption,
    PrecisionOption,
    ThresholdOption,
    WithinStoriesOption,
    chosen_options,
    say,
    say_report,
)
from cdcoref.cli.progress import StageProgress


def rebuild(
    file: FileArgument,
    model: ModelOption = None,
    kind: KindOption = None,
    threshold: ThresholdOption = None,
    max_pairs: MaxPairsOption = None,
    max_windows: MaxWindowsOption = None,
    within_stories: WithinStoriesOption = None,
    device: DeviceOption = None,
    precision: PrecisionOption = "auto",
    batch_tokens: BatchOption = 8192,
) -> None:
    """Make a collection anew: what cdcoref predict gives for all its documents at once, then corrections.

    Clusters keep their ids by the mentions that they share with what was there. With options, the collection has
    another model or other options from now on.
    """
    from cdcoref.collection import Collection
    from cdcoref.predict import load
    from cdcoref.views import counts_line

    with Collection.open(file) as collection:
        options = chosen_options(collection.options, kind, threshold, max_pairs, max_windows, within_stories)
        predictor = load(model or collection.model, device=device, precision=precision)
        try:
            with StageProgress() as progress:
                report = collection.rebuild(
                    predictor, model=model, options=options, batch_tokens=batch_tokens, progress=progress.update
                )
        except KeyboardInterrupt:
            say(["interrupted; nothing was changed"])
            sys.exit(130)
        say_report(report)
        say([f"{file}: {counts_line(collection.counts())}"])
