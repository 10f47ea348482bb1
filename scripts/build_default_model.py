#!/usr/bin/env python
"""Build the model that ships with the package, from all-MiniLM-L6-v2, Invented Texts and four other corpora.

    pip install -c constraints.txt -e '.[build]'
    python scripts/build_default_model.py --ecb-root DIR --meantime DIR --gum DIR --litbank DIR

1. Fine-tunes with the preset `small` on ECB+ and on a share of the pairs of MEANTIME, GUM, LitBank and Invented Texts
   (less than two hours of one core), and rounds the matrices to 8 bits. Here as below, of GUM the genres are used whose
   texts are CC BY.
2. Fits the heads that compare mentions which were read apart, and the mention detector, on the train splits of the five
   (about an hour of one core). Of Invented Texts they see the topics of data/invented/for_heads.txt, which the
   encoder does not see, so that they learn from texts that it does not know by heart; some learn from these alone.
3. Chooses, as the model ships, what vectors and reading together count on the dev splits of the five corpora, and
   thresholds and temperatures on those of the corpora other than Invented Texts; writes cdcoref/models/default with its
   card.

With --trained FOLDER step 1 is left out: the encoder and the pair scorer of that model are taken, and its detector if
that was fitted so. --set changes the preset, to see what a part is worth (--set model.vectors.learnt=0 -o FOLDER).
--resume goes on after an interruption. --card only writes the card of the model in --output anew, with its present
scores on the dev splits.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import torch

from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.corpus import ENTITY, EVENT, KINDS, STYLES
from cdcoref.evaluation import BOTH, evaluate
from cdcoref.linking import LinkingOptions
from cdcoref.model import (
    ALL,
    CARD_FILE,
    DEFAULT_MODEL,
    UNSEEN,
    CorefConfig,
    CorefModel,
    CurvePoint,
    DetectorOptions,
    KindScores,
    Metadata,
    VectorOptions,
    model_card,
)
from cdcoref.predict import Predictor, load
from cdcoref.training import (
    PRESETS,
    AntecedentTraining,
    DetectorTraining,
    TrainingConfig,
    VectorTraining,
    fit_detector,
    fit_vectors,
    train,
    tune,
    tune_styles,
    weigh,
)
from cdlm.encoder import CDLMModel
from cdlm.quantization import dequantize, quantize
from cdlm.runs import RUN_FILE, say_on_stderr
from cdlm.settings import parse_settings, with_settings
from cdlm.starting_encoders import encoder_folder

OF_STYLES = """The mention detector tells four styles of annotation apart: `salient`, events with the names and nouns of
their participants, places and times (learnt from ECB+); `dense`, the names and nouns of everything that is referred to
(from all five); `phrases`, the same as whole phrases (MEANTIME, GUM and LitBank); `people`, people, organisations and
places alone, as whole phrases (LitBank, and GUM by its types). The one in use is `dense`.
"""
CORPORA = """It was made from all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), converted to Longformer attention.
Encoder and pair scorer were trained on the train split of ECB+ 1.0 (Cybulska and Vossen 2014; annotation under
CC BY 3.0): topics 1-35 without the dev topics 2, 5, 12, 18, 21, 23, 34 and 35; and on shares of the train splits of
MEANTIME (Minard et al. 2016, CC BY 4.0), LitBank (Bamman et al. 2020, CC BY 4.0), GUM (Zeldes 2017, annotation CC BY
4.0; of it the genres academic and court, CC BY 4.0, news and interview, CC BY 2.5) and Invented Texts (synthetic texts
of this project, Apache-2.0). The heads that compare mentions which were read apart and, on the finished encoder, the
mention detector were fitted on the whole of those splits; of Invented Texts, on topics that the encoder had not seen.
The vectors of mentions are those of all-MiniLM-L6-v2, to which a difference of low rank leads back from the fine-tuned
encoder. What the vectors count beside reading together was chosen on the dev splits of all five, and all thresholds on
those of the first four, each counting the same: the CoNLL F1 below is the mean over these four, for GUM and LitBank
within documents. The weights are 8-bit integers with one scale per row, read as 32-bit floats. Expect lower scores on
text that is neither news nor fiction in English.
"""
DATASETS = ("ecb", "meantime", "gum", "litbank", "invented")
METADATA = Metadata("en", "apache-2.0", DATASETS, "sentence-transformers/all-MiniLM-L6-v2")
INVENTED = CorpusFolder("invented", Path(__file__).resolve().parent.parent / "data" / "invented")
FOR_HEADS = "for_heads.txt"
"""The topics of Invented Texts on which heads are fitted, a line each; the encoder is trained on the others."""
FREE_GENRES = ("academic", "court", "interview", "news")
"""Genres of GUM whose texts are under CC BY; the share-alike and non-commercial ones are left out."""
DETECTOR_OPTIONS = DetectorOptions(word_layers=4, styles=STYLES, style="dense", spelling=True, neighbours=True)
DETECTOR = DetectorTraining(corpus_shares={"ecb": 1.5, "meantime": 4.0, "litbank": 0.25}, most_words=200_000)
VECTORS = VectorTraining(
    corpus_weights={"meantime": 0.5, "gum-heads": 0.3, "litbank": 0.3, "invented": 0.3},
    unseen=("invented",),
    antecedents=AntecedentTraining(corpus_shares={"gum-heads": 6.0, "litbank": 6.0}),
)
"""Of Invented Texts there are a thousand documents with pronouns, of GUM and LitBank some ninety each."""
LEARNT = {EVENT: {UNSEEN: 0.4}, ENTITY: {ALL: 0.6, UNSEEN: 0.3}}
"""What networks with learnt vectors count. Of few topics that the encoder knows by heart, those of events would learn
nothing that holds elsewhere."""
STARTS = 2
"""Scorers of pairs that are averaged, from different random starts."""
ANTECEDENT_STARTS = 3
"""Networks that find antecedents, likewise."""
SHARES = {"meantime": 0.4, "gum-heads": 0.7, "litbank": 0.12, "invented": 0.6}
"""The shares of the pairs of other corpora that an epoch of the encoder's training reads."""
BATCH_TOKENS = 8192
MENTIONS: tuple[Literal["gold", "predicted"], ...] = ("gold", "predicted")
HEADS = "heads."
"""What the names of settings begin with that change `VECTORS`."""


def main() -> None:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ecb-root", type=Path, required=True, help="folder of ECB+ 1.0")
    parser.add_argument("--meantime", type=Path, required=True, help="folder of MEANTIME")
    parser.add_argument("--gum", type=Path, required=True, help="folder of GUM")
    parser.add_argument("--litbank", type=Path, required=True, help="folder of LitBank")
    parser.add_argument("-o", "--output", type=Path, default=DEFAULT_MODEL, help="default: %(default)s")
    parser.add_argument("--work", type=Path, default=Path("build/default-model"), help="where training happens")
    parser.add_argument("--trained", type=Path, help="a trained model's folder, instead of training one")
    parser.add_argument("--seed", type=int, default=0, help="random seed; default: %(default)s")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting, to see what it is worth"
    )
    parser.add_argument("--resume", action="store_true", help="go on with the training in --work")
    parser.add_argument("--card", action="store_true", help="only write the card of the model in --output anew")
    arguments = parser.parse_args()

    ecb, meantime = CorpusFolder("ecb", arguments.ecb_root), CorpusFolder("meantime", arguments.meantime)
    settings = parse_settings(arguments.set)
    of_vectors = {name.removeprefix(HEADS): value for name, value in settings.items() if name.startswith(HEADS)}
    fitting = with_settings(VECTORS, of_vectors)
    of_model = {name: value for name, value in settings.items() if not name.startswith(HEADS)}
    chosen = with_settings(recipe(), {**of_model, "run.seed": arguments.seed})
    gum = CorpusFolder("gum", arguments.gum)
    dev = [
        ecb.read("dev"),
        meantime.read("dev"),
        CorpusFolder("gum-heads", arguments.gum).read("dev"),
        CorpusFolder("litbank", arguments.litbank).read("dev"),
    ]
    if arguments.card:
        run, model = read_run(arguments.output), load(str(arguments.output)).model
        (arguments.output / CARD_FILE).write_text(card(model, run, dev), encoding="utf-8")
        return
    learnt = [
        ecb.read("train"),
        meantime.read("train"),
        of_genres(CorpusFolder("gum-heads", arguments.gum).read("train"), FREE_GENRES),
        CorpusFolder("litbank", arguments.litbank).read("train"),
    ]
    of_encoder, of_heads = invented_texts()
    trained = arguments.trained or arguments.work
    if arguments.trained is None:
        train_encoder(chosen, [*learnt, of_encoder], ecb.read("dev"), trained, resume=arguments.resume)
    learnt.append(of_heads)
    model = with_vectors(CorefModel.from_pretrained(trained), learnt, chosen.model, fitting, arguments.seed)
    if not model.settings.detector.styles:
        with_detector(model, [*learnt, of_genres(gum.read("train"), FREE_GENRES)], arguments.seed)
    say_on_stderr("weighing vectors and reading on dev")
    with_invented = [*dev, INVENTED.read("dev")]
    model.settings = replace(model.settings, vectors=weigh(model, with_invented, batch_tokens=BATCH_TOKENS))
    model.settings = tune_styles(model, [*dev, gum.read("dev")], batch_tokens=BATCH_TOKENS)
    write(model, trained, arguments.output, dev, fitting, arguments.seed)


def recipe() -> TrainingConfig:
    """The preset `small` with the networks of the default model."""
    small = PRESETS["small"]
    vectors = replace(small.model.vectors, learnt_shares=LEARNT, starts=STARTS, antecedent_starts=ANTECEDENT_STARTS)
    return replace(small, model=replace(small.model, vectors=vectors))


def train_encoder(
    config: TrainingConfig, learnt: Sequence[AnnotatedCorpus], dev: AnnotatedCorpus, run: Path, *, resume: bool
) -> CorefModel:
    """Train an encoder and a scorer of pairs on a corpus, and on `SHARES` of the pairs of those after it.

    Epochs are judged by average linkage. The detector beside them sees the first corpus alone, since the others are
    annotated in other styles.
    """
    first, *others = learnt
    pairs_alone = [replace(part, info=replace(part.info, exhaustive=())) for part in others]
    shares = {part.info.name: SHARES[part.info.name] for part in others}
    model = replace(config.model, vectors=VectorOptions(), detector=DetectorOptions(), linkage="average")
    config = replace(config, model=model, sampling=replace(config.sampling, weights=shares))
    return train(config, [first, *pairs_alone], dev, run, resume=resume)


def invented_texts(folder: CorpusFolder = INVENTED) -> tuple[AnnotatedCorpus, AnnotatedCorpus]:
    """The train split of Invented Texts: what the encoder is trained on, and what heads are fitted on."""
    part = folder.read("train")
    topics = frozenset((folder.path / FOR_HEADS).read_text(encoding="utf-8").split())
    of_heads = {document.id for document in part.corpus.documents if document.topic in topics}
    others = {document.id for document in part.corpus.documents} - of_heads
    return replace(part, corpus=part.corpus.subset(others)), replace(part, corpus=part.corpus.subset(of_heads))


def of_genres(part: AnnotatedCorpus, genres: Sequence[str]) -> AnnotatedCorpus:
    """The documents of GUM of some genres; their ids are GUM_genre_name."""
    chosen = [d.id for d in part.corpus.documents if d.id.split("_")[1] in genres]
    return replace(part, corpus=part.corpus.subset(chosen))


def with_vectors(
    model: CorefModel, learnt: Sequence[AnnotatedCorpus], options: CorefConfig, fitting: VectorTraining, seed: int
) -> CorefModel:
    """A trained model with its weights rounded, heads that compare mentions which were read apart, and its linkage."""
    rounded(model)
    model.settings = replace(model.settings, linkage=options.linkage)
    model.inference_dtype = torch.bfloat16
    with encoder_folder(PRESETS["small"].encoder) as folder:
        before = CDLMModel.from_pretrained(folder).float()
    fit_vectors(
        model, before, learnt, options.vectors, fitting, batch_tokens=BATCH_TOKENS, seed=seed, say=say_on_stderr
    )
    rounded(model)
    return model


def with_detector(model: CorefModel, learnt: Sequence[AnnotatedCorpus], seed: int) -> None:
    """Fit the mention detector on the rounded encoder, and round it too."""
    fit_detector(model, learnt, DETECTOR_OPTIONS, DETECTOR, batch_tokens=BATCH_TOKENS, seed=seed, say=say_on_stderr)
    rounded(model)


def rounded(model: CorefModel) -> None:
    """Round the weights to what the shipped file holds."""
    model.load_state_dict(dequantize(quantize(model.state_dict())))


def write(
    model: CorefModel,
    trained: Path,
    output: Path,
    dev: Sequence[AnnotatedCorpus],
    fitting: VectorTraining,
    seed: int,
) -> None:
    """Tune the model as it ships on dev, and write it with its card."""
    run = read_run(trained)
    say_on_stderr("tuning the rounded model on dev")
    model.settings, scores = tune(model, dev, batch_tokens=BATCH_TOKENS, reweigh=False)
    run["dev"] = {kind: asdict(values) for kind, values in scores.items()}
    run["vectors"], run["detector"] = {**asdict(fitting), "seed": seed}, asdict(DETECTOR)
    model.save_pretrained(output, card(model, run, dev), int8=True)
    (output / RUN_FILE).write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in output.iterdir())
    say_on_stderr(f"{output}: {size / 1e6:.1f} MB")


def read_run(folder: Path) -> dict[str, Any]:
    """What is known of how the model in a folder was trained."""
    run: dict[str, Any] = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    return run


def card(model: CorefModel, run: Mapping[str, Any], dev: Sequence[AnnotatedCorpus]) -> str:
    """The model's card: what was chosen on dev, and the scores of every corpus and setting."""
    scores = {
        kind: KindScores(**{**values, "curve": tuple(CurvePoint(**point) for point in values["curve"])})
        for kind, values in run["dev"].items()
    }
    return model_card(
        model,
        run["configuration"],
        scores,
        run["best_epoch"],
        CORPORA + OF_STYLES,
        METADATA,
        by_corpus(model, run, dev),
    )


def by_corpus(model: CorefModel, run: Mapping[str, Any], dev: Sequence[AnnotatedCorpus]) -> str:
    """A table of CoNLL F1 for every corpus, kind and setting, beside equal head lemmas."""
    lines = [
        "",
        "CoNLL F1 with / without singletons, corpus by corpus, beside that of equal head lemmas on the same mentions.",
        "Predicted mentions are detected in the style of each corpus; their F1 without singletons tells more, since a",
        "detected mention that is not annotated counts as a wrong singleton, whatever it is.",
        f"The random seed is {run['configuration']['run']['seed']}; the project's README says how far seeds differ.",
        "",
        "| corpus | mentions | kind | topics | model | equal head lemmas |",
        "| --- | --- | --- | --- | ---: | ---: |",
    ]
    for part in dev:
        for mentions in MENTIONS:
            say_on_stderr(f"scoring {part.info.title}, {mentions} mentions")
            options = LinkingOptions(batch_tokens=BATCH_TOKENS)
            results = evaluate(Predictor(model), part, mentions=mentions, options=options)
            for kind in (kind for kind in (*KINDS, BOTH) if kind in results):
                for topics, of in results[kind].items():
                    cells = (part.info.title, mentions, kind, topics, _both(of), _both(of["lemma_baseline"]))
                    lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _both(scores: Mapping[str, Any]) -> str:
    """F1 with and without singletons, in percent."""
    return f"{100 * scores['conll_f1']:.1f} / {100 * scores['without_singletons']['conll_f1']:.1f}"


if __name__ == "__main__":
    main()
