"""``cdcoref predict`` and ``demo``: the clusters of documents."""

from __future__ import annotations

import os
import shutil
import sys
import webbrowser
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, ClassVar, Literal

from cdcoref import formats, reports, views
from cdcoref import predict as predicting
from cdcoref.cli.messages import StageProgress, exit_if_skipped, say
from cdcoref.cli.options import MENTIONS, ChosenModel, Computing, FilesArgument, Kind, Reading, Style, given, option
from cdcoref.cli.output_options import Outputs, check_output
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdlm.files import check_writable
from cdlm.printing import counted

EXAMPLES = {
    "predict": (
        "cdcoref predict articles/",
        "cdcoref predict articles/ -o clusters.html -o clusters.csv",
        "cdcoref predict reports.jsonl --kind event -o clusters.csv",
        "cdcoref predict large/ -o clusters.jsonl --max-pairs 20 --cache cache/",
    ),
    "demo": ("cdcoref demo", "cdcoref demo --no-open -o page.html"),
}


@dataclass(frozen=True)
class PredictionOutputs(Outputs):
    """What is written and printed."""

    pairs: Path | None = option(
        None,
        "Also write every pair of mentions that was compared, with its probability, and for each pronoun the "
        "antecedent that was chosen.",
        metavar="FILE.csv",
    )
    everything: bool = option(False, "Print all clusters instead of the first ones; ignored with -o.", "--all")
    singletons: bool = option(False, "Print singleton clusters too; ignored with -o.", "--singletons")

    def check(self, inputs: list[str]) -> None:  # type: ignore[override]
        """As for other outputs; the table of pairs is one too."""
        super().check(inputs)
        if self.pairs is None:
            return
        if not self.pairs.name.lower().endswith((".csv", ".csv.gz")):
            raise InputError("the name of the table of pairs must end in .csv or .csv.gz", self.pairs)
        check_output(self.pairs, inputs)
        if os.path.realpath(self.pairs) in map(os.path.realpath, self.output or ()):
            raise InputError(
                "the table of pairs would be replaced by the output of -o; choose another name", self.pairs
            )


@dataclass(frozen=True)
class Linking(ChosenModel):
    """Which mentions are linked."""

    topics: Literal["predicted", "gold_subtopic", "gold_topic", "none"] = option(
        "predicted",
        "Link within stories predicted from the text, within annotated topics or subtopics, or across all documents.",
    )
    threshold: float | None = option(
        None,
        "Merge clusters while the probability that they corefer is above P. Default: the model's threshold.",
        metavar="P",
    )
    max_pairs: int | None = option(
        None,
        "Compare each document with at most the N most similar documents of its story. Default: with all.",
        metavar="N",
    )


@dataclass(frozen=True)
class Workers(Computing):
    """How a model computes, and where."""

    cache: Path | None = option(
        None, "Folder for intermediate results, from which an interrupted run resumes.", metavar="DIR"
    )
    engine: Literal["local", "ray"] = option(
        "local", "Link stories in this process, or on the workers of a Ray cluster, which needs the extra ray."
    )
    ray_address: str | None = option(
        None,
        "Address of the head node of the Ray cluster, or auto. Default: RAY_ADDRESS, or a Ray cluster on this machine.",
        metavar="HOST:PORT",
    )


@dataclass(frozen=True)
class Mentions:
    """Which mentions there are."""

    PANEL: ClassVar = MENTIONS
    kind: Kind = option(
        "both", "Kind of mentions to link; also the kind of those in CoNLL files, which do not state it."
    )
    find_mentions: bool = option(False, "Detect mentions even if the documents have annotated ones.", "--find-mentions")
    style: Style | None = option(
        None,
        "What counts as a mention. salient: events, their participants, places and times; dense: everything that is "
        "referred to, by its name or noun; phrases: the same, as whole phrases; people: people, organisations and "
        "places only, as whole phrases. Default: the model's.",
    )


def predict(
    files: FilesArgument,
    outputs: PredictionOutputs,
    reading: Reading,
    mentions: Mentions,
    linking: Linking,
    computing: Workers,
) -> None:
    """Find mentions of events and entities, and link those that corefer, within and across documents.

    Documents are grouped into stories; mentions are linked within each story, and entities with the same name also
    across stories about one subject. Mentions that a file already has are used instead of detected ones.
    """
    outputs.check(files)
    options = _prediction_options(outputs, mentions, linking, computing)
    computing.check()
    stated = None if mentions.kind == "both" else mentions.kind
    every_kind = stated is None and linking.model != predicting.LEMMA and not mentions.find_mentions
    loaded = reading.read(files, kind=stated, every_kind=every_kind)
    if not loaded.corpus.documents:
        raise InputError("the input contains no documents")
    predictor = computing.load(linking.model, mentions.style)
    cache = computing.cache
    try:
        if outputs.streamed and outputs.pairs is None:
            write_stories(predictor, loaded.corpus, options, cache, outputs.streamed)
        else:
            # Ray reports dead workers on standard output, which is reserved for the clusters.
            with redirect_stdout(sys.stderr), StageProgress() as bars:
                prediction = predictor.predict(
                    loaded.corpus, options, cache=cache, announce=_announce, progress=bars.update
                )
            say(*prediction.notes)
            show(prediction, outputs)
    except KeyboardInterrupt:
        say("interrupted" + (f"; run the same command again to resume from {cache}" if cache else ""))
        sys.exit(130)
    exit_if_skipped(loaded.problems)


def _prediction_options(
    outputs: PredictionOutputs, mentions: Mentions, linking: Linking, computing: Workers
) -> predicting.PredictionOptions:
    further: dict[str, Any] = {name: getattr(linking, name) for name in ("threshold", "max_pairs")}
    ignored = [f"--{name.replace('_', '-')}" for name in given(**further, pairs=outputs.pairs)]
    if linking.model == predicting.LEMMA and ignored:
        raise InputError(f"the lemma baseline does not use {', '.join(ignored)}; use another model, or leave it out")
    return predicting.PredictionOptions(
        kind=mentions.kind,
        topics=linking.topics,
        find_mentions=mentions.find_mentions,
        engine=computing.engine,
        ray_address=computing.ray_address,
        pairs=outputs.pairs is not None,
        **further,
        **computing.batch,
    )


def write_stories(
    predictor: predicting.Predictor,
    corpus: Corpus,
    options: predicting.PredictionOptions,
    cache: Path | None,
    outputs: list[Path],
) -> None:
    """Write the stories about each subject as they finish, with only these in memory, into files that then appear."""
    tally = reports.Tally()
    number = 0
    notes: list[str] = []
    order = {document.id: number for number, document in enumerate(corpus.documents)}
    with redirect_stdout(sys.stderr), ExitStack() as files, StageProgress() as progress:
        writes = [files.enter_context(formats.jsonl_writer(output)) for output in outputs]
        for stories in predictor.stream_subjects(
            corpus, options, cache=cache, announce=_announce, progress=progress.update
        ):
            together = predicting.joined_stories(stories, order)
            mentions = together.corpus.by_document()
            events = views.event_circumstances(reports.Results(together.corpus, (), readings=together))
            for story in stories:
                has_words = any(document.tokens for document in story.corpus.documents)
                number += has_words
                for document in story.corpus.documents:
                    for write in writes:
                        numbered = replace(document, story=number if has_words else None)
                        write(numbered, mentions[document.id], events[document.id])
                tally.add(story.corpus, int(has_words))
                notes += story.notes
    say(*notes, views.summary(tally.counts()), *(f"written to {output}" for output in outputs))


def show(prediction: predicting.Prediction, outputs: PredictionOutputs) -> None:
    """Write a prediction, and its table of pairs; without an output print its clusters."""
    if outputs.pairs is not None:
        views.write_pairs(prediction, outputs.pairs)
        say(f"{counted(len(prediction.pairs or ()), 'pair')} written to {outputs.pairs}")
    if not outputs.output:
        show_clusters(prediction, singletons=outputs.singletons, everything=outputs.everything)
        return
    written = dict(outputs.write(prediction))
    say(*dict.fromkeys(note for notes in written.values() for note in notes), views.summary(prediction.counts()))
    say(*(f"written to {output}" for output in written))


def show_clusters(prediction: predicting.Prediction, *, singletons: bool, everything: bool) -> None:
    """Print the first clusters, or all, on standard output."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 120
    table = views.cluster_table(prediction, singletons=singletons, width=width, everything=everything)
    if not table.shown:
        say("no coreferent mentions were found")
        return
    sys.stdout.writelines(f"{line}\n" for line in table.lines)
    sys.stdout.flush()
    if table.left or table.shortened:
        say(
            f"showing the first {table.shown} of {table.shown + table.left:,} clusters; --all prints all, "
            "-o FILE.html writes a page to browse them"
        )


def _announce(plan: predicting.Plan) -> None:
    pruned = f", {plan.pruned} more pruned by --max-pairs" if plan.pruned else ""
    empty = f"; {counted(plan.empty, 'empty document')}" if plan.empty else ""
    copies = f"; {counted(plan.copies, 'near-duplicate')}" if plan.copies else ""
    say(
        f"{counted(plan.documents, 'document')} in {counted(plan.stories, 'story', 'stories')}; "
        f"{counted(plan.pairs, 'pair')} of documents to compare{pruned}{empty}{copies}"
    )


def demo(
    output: Path = option(
        Path("cdcoref-demo.html"), "HTML page to write; an existing file is replaced.", "-o", "--output", metavar="FILE"
    ),
    open_page: bool = option(True, "Open the page in a browser, or only print its path.", "--open/--no-open"),
) -> None:
    """Run cdcoref on seven sample texts and view the result in a browser."""
    if output.suffix != ".html":
        raise InputError("the page's name must end in .html", output)
    check_writable(output)
    with as_file(files("cdcoref") / "sample") as folder:
        loaded = formats.read_corpus(sorted(folder.glob("*.txt")))
    if loaded.problems or not loaded.corpus.documents:
        raise InputError("the sample is missing from this installation; reinstall cdcoref")
    predictor = predicting.load()
    with StageProgress() as progress:
        prediction = predictor.predict(loaded.corpus, progress=progress.update)
    views.write_page(prediction, output, title="The sample: two stories in seven texts")
    say(views.summary(prediction.counts()))
    print(output.resolve())
    if open_page and not webbrowser.open(output.resolve().as_uri()):
        say("no browser was found; open this file in one")
