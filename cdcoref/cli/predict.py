"""``cdcoref predict``: the command line of :mod:`cdcoref.predict.predictor`."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdcoref.cli.input_options import (
    EncodingOption,
    FilesArgument,
    PipelineOption,
    SinceOption,
    SourceOption,
    TextColumnOption,
    chosen_documents,
    reading_remarks,
)
from cdcoref.cli.model_options import (
    COMPUTING,
    LINKING,
    MENTIONS,
    OUTPUT,
    BatchOption,
    CandidatesOption,
    DeviceOption,
    Kind,
    ModelOption,
    PrecisionOption,
    given,
)
from cdcoref.cli.output_options import (
    FolderFormatOption,
    LayoutOption,
    PlainOption,
    ReplaceOption,
    check_output,
    document_writer,
)
from cdcoref.cli.pager import show_in_pager
from cdcoref.cli.progress import StageProgress
from cdcoref.errors import InputError
from cdlm.printing import counted, say

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus
    from cdcoref.formats import Writer
    from cdcoref.predict import Plan, Prediction, PredictionOptions, Predictor
    from cdcoref.views import FolderFormat, Replaced


EXAMPLES = (
    "cdcoref predict articles/",
    "cdcoref predict articles/ -o clusters.html",
    "cdcoref predict reports.jsonl --kind event -o clusters.csv",
    "cdcoref predict large/ -o clusters.jsonl --max-pairs 20 --cache cache/",
)


def predict(
    files: FilesArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write documents, mentions and clusters: .html (a page to browse), .jsonl, .jsonlines, .conll, "
            ".conllu, .spacy, .json, .csv, .parquet, .graphml, .jsonld or .md (a report); a name without a suffix is "
            "a folder with a file for each document. Default: print clusters.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    layout: LayoutOption = None,
    folder_format: FolderFormatOption = None,
    replaced: ReplaceOption = None,
    plain: PlainOption = False,
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Also write every pair of mentions that was compared, with its probability, and for each pronoun the "
            "antecedent that was chosen.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Print all clusters instead of the first ones; ignored with -o.", rich_help_panel=OUTPUT
        ),
    ] = False,
    singletons: Annotated[
        bool,
        typer.Option("--singletons", help="Print singleton clusters too; ignored with -o.", rich_help_panel=OUTPUT),
    ] = False,
    pipeline: PipelineOption = None,
    encoding: EncodingOption = None,
    text_column: TextColumnOption = None,
    since: SinceOption = None,
    source: SourceOption = None,
    kind: Annotated[
        Kind,
        typer.Option(
            help="Kind of mentions to link; also the kind of those in CoNLL files, which do not state it.",
            rich_help_panel=MENTIONS,
        ),
    ] = "both",
    find_mentions: Annotated[
        bool,
        typer.Option(
            "--find-mentions",
            help="Detect mentions even if the documents have annotated ones.",
            rich_help_panel=MENTIONS,
        ),
    ] = False,
    style: Annotated[
        Literal["salient", "dense", "phrases", "people"] | None,
        typer.Option(
            help="What counts as a mention. salient: events, their participants, places and times; dense: everything "
            "that is referred to, by its name or noun; phrases: the same, as whole phrases; people: people, "
            "organisations and places only, as whole phrases. Default: the model's.",
            rich_help_panel=MENTIONS,
        ),
    ] = None,
    model: ModelOption = "default",
    topics: Annotated[
        Literal["predicted", "gold_subtopic", "gold_topic", "none"],
        typer.Option(
            help="Link within stories predicted from the text, within annotated topics or subtopics, or in the whole "
            "collection.",
            rich_help_panel=LINKING,
        ),
    ] = "predicted",
    within_stories: Annotated[
        bool,
        typer.Option(
            "--within-stories",
            help="Link mentions within each story only. By default, entities that have the same name in several "
            "stories about one subject are linked too.",
            rich_help_panel=LINKING,
        ),
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Merge clusters while the probability that they corefer is above P. Default: the model's threshold.",
            rich_help_panel=LINKING,
        ),
    ] = None,
    max_pairs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Compare each document with at most the N most similar documents of its story. Default: with all.",
            rich_help_panel=LINKING,
        ),
    ] = None,
    candidates: CandidatesOption = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for intermediate results, from which an interrupted run resumes.",
            rich_help_panel=COMPUTING,
        ),
    ] = None,
    device: DeviceOption = None,
    precision: PrecisionOption = "auto",
    batch_tokens: BatchOption = None,
    engine: Annotated[
        Literal["local", "ray"],
        typer.Option(
            help="Link stories in this process, or on the workers of a Ray cluster, which needs the extra ray.",
            rich_help_panel=COMPUTING,
        ),
    ] = "local",
    ray_address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Address of the cluster's head, or auto. Default: RAY_ADDRESS, or a cluster on this machine.",
            rich_help_panel=COMPUTING,
        ),
    ] = None,
) -> None:
    """Find mentions of events and entities, and link those that corefer, within and across documents.

    Documents are grouped into stories; mentions are linked within each story, and entities with the same name also
    across stories about one subject. Mentions that a file already has are used instead of detected ones.
    """
    from cdcoref.formats import read_corpus
    from cdcoref.views import check_folder_options, check_plain

    writer = document_writer(output, layout) if output is not None else None
    if output is None and (folder_format is not None or replaced is not None):
        raise InputError("--format and --replace are for an output folder, such as -o texts/; name one")
    if output is None and layout is not None:
        raise InputError("--layout is for a .conll file, such as -o clusters.conll; name one")
    if output is not None:
        check_folder_options(output, layout, folder_format, replaced)
        check_output(output, files)
    if output is not None and output.name.lower().endswith(".parquet"):
        from cdcoref.views import check_parquet

        check_parquet()
    if plain and pairs is None:
        check_plain(output)
    if pairs is not None:
        if not pairs.name.lower().endswith((".csv", ".csv.gz")):
            raise InputError("the name of the table of pairs must end in .csv or .csv.gz", pairs)
        check_output(pairs, files)
        if output is not None and os.path.realpath(pairs) == os.path.realpath(output):
            raise InputError("the table of pairs would be replaced by the output of -o; choose another name", pairs)
    from cdcoref.predict import LEMMA, PredictionOptions, check_device, load

    options = PredictionOptions(
        kind=kind,
        topics=topics,
        threshold=threshold,
        max_pairs=max_pairs,
        find_mentions=find_mentions,
        candidates=candidates,
        engine=engine,
        ray_address=ray_address,
        across_stories=not within_stories,
        pairs=pairs is not None,
        **given(batch_tokens=batch_tokens),
    )
    further = {"threshold": threshold, "max-pairs": max_pairs, "candidates": candidates, "pairs": pairs}
    ignored = [f"--{name}" for name, value in further.items() if value is not None]
    if model == LEMMA and ignored:
        raise InputError(f"the lemma baseline does not use {', '.join(ignored)}; use another model, or leave it out")
    if device is not None:
        check_device(device)
    stated = None if kind == "both" else kind
    predictor: Predictor | None = None
    if candidates is not None:
        from cdcoref.linking import check_cross_encoder

        # Before files are read, which can take long.
        predictor = load(model, device=device, precision=precision, style=style)
        check_cross_encoder(predictor.model, options)
    loaded = read_corpus(
        files,
        pipeline=pipeline,
        encoding=encoding,
        kind=stated,
        with_clusters=False,
        text_column=text_column,
        every_kind=stated is None and model != LEMMA and not find_mentions,
    )
    loaded = replace(loaded, corpus=chosen_documents(loaded.corpus, since, source))
    for sentence in reading_remarks(loaded):
        _say(sentence)
    if not loaded.corpus.documents:
        raise InputError("the input contains no documents")
    predictor = predictor or load(model, device=device, precision=precision, style=style)
    try:
        if output is not None and writer is not None and pairs is None:
            write_stories(predictor, loaded.corpus, options, cache, output, writer)
        else:
            prediction = predict_everything(predictor, loaded.corpus, options, cache)
            if pairs is not None:
                from cdcoref.views import write_pairs

                write_pairs(prediction, pairs, plain=plain)
                _say(f"{counted(len(prediction.pairs or ()), 'pair')} written to {pairs}")
            if output is None:
                show_clusters(prediction, singletons=singletons, everything=everything)
            else:
                is_table = output.name.lower().endswith((".csv", ".csv.gz"))
                write_prediction(prediction, output, layout, folder_format, replaced, plain=plain and is_table)
    except KeyboardInterrupt:
        _say("interrupted" + (f"; run the same command again to resume from {cache}" if cache else ""))
        sys.exit(130)
    if loaded.problems:
        _say(f"{counted(len(loaded.problems), 'unusable input')} skipped; see above")
        sys.exit(2)


def predict_everything(
    predictor: Predictor, corpus: Corpus, options: PredictionOptions, cache: Path | None
) -> Prediction:
    """Predict, with progress on standard error."""
    # Ray reports dead workers on standard output, which is reserved for the clusters.
    with redirect_stdout(sys.stderr), StageProgress() as progress:
        prediction = predictor.predict(corpus, options, cache=cache, announce=_announce, progress=progress.update)
    for note in prediction.notes:
        _say(note)
    return prediction


def write_stories(
    predictor: Predictor, corpus: Corpus, options: PredictionOptions, cache: Path | None, output: Path, writer: Writer
) -> None:
    """Write the stories about each subject as they finish; only these are held in memory.

    The file appears when it is complete.
    """
    from cdcoref.predict import joined_stories
    from cdcoref.reports import Results, Tally
    from cdcoref.views import event_circumstances, summary

    tally = Tally()
    notes: list[str] = []
    order = {document.id: number for number, document in enumerate(corpus.documents)}
    with redirect_stdout(sys.stderr), writer(output) as write, StageProgress() as progress:
        for stories in predictor.stream_subjects(
            corpus, options, cache=cache, announce=_announce, progress=progress.update
        ):
            together = joined_stories(stories, order)
            mentions = together.corpus.by_document()
            events = event_circumstances(Results(together.corpus, (), readings=together))
            for story in stories:
                for document in story.corpus.documents:
                    write(document, mentions[document.id], events[document.id])
                tally.add(story.corpus, int(any(document.tokens for document in story.corpus.documents)))
                notes += story.notes
    for note in notes:
        _say(note)
    _say(summary(tally.counts()))
    _say(f"written to {output}")


def show_clusters(prediction: Prediction, *, singletons: bool, everything: bool) -> None:
    """Print the clusters on standard output: in a pager on a terminal, otherwise the first of them or all."""
    from cdcoref.views import cluster_lines, first_lines

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else 120
    start = first_lines(prediction, singletons=singletons, width=width)
    if not start.lines:
        _say("no coreferent mentions were found")
        return
    lines = cluster_lines(prediction, singletons=singletons, width=width)
    if everything:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    elif not (terminal and show_in_pager(lines)):
        sys.stdout.writelines(f"{line}\n" for line in start.lines)
        sys.stdout.flush()
        if start.left or start.shortened:
            _say(
                f"showing the first {start.shown} of {start.shown + start.left:,} clusters; --all prints all, "
                "-o FILE.html writes a page to browse them"
            )


def write_prediction(
    prediction: Prediction,
    output: Path,
    layout: str | None,
    folder_format: FolderFormat | None,
    replaced: Replaced | None,
    *,
    plain: bool = False,
) -> None:
    """Write documents, mentions and clusters in the format given by the file's suffix, or into a folder."""
    from cdcoref.views import summary, write_result

    notes = write_result(prediction, output, layout, folder_format=folder_format, replaced=replaced, plain=plain)
    for note in notes:
        _say(note)
    _say(summary(prediction.counts()))
    _say(f"written to {output}")


def _announce(plan: Plan) -> None:
    pruned = f", {plan.pruned} more pruned by --max-pairs" if plan.pruned else ""
    empty = f"; {counted(plan.empty, 'empty document')}" if plan.empty else ""
    copies = f"; {counted(plan.copies, 'near-duplicate')}" if plan.copies else ""
    _say(
        f"{counted(plan.documents, 'document')} in {counted(plan.stories, 'story', 'stories')}; "
        f"{counted(plan.pairs, 'pair')} of documents to compare{pruned}{empty}{copies}"
    )


def _say(sentence: str) -> None:
    say("cdcoref", sentence)
