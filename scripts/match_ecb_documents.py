#!/usr/bin/env python
"""Show that document matching learns whether two reports are about the same event or only the same kind of event.

    python scripts/match_ecb_documents.py --ecb-root DIR -o build/ecb-matching

Documents of one topic of ECB+ are positive pairs if they are of the same subtopic. One subtopic is from ECB and the
other from ECB+, whose texts differ in form, so texts are reduced to the first words of their sentences: lower case,
only letters, without months and weekdays. Controls see only the format, or tell ECB from ECB+ by the words that remain.
"""

from __future__ import annotations

import argparse
import json
import re
import string
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cdcoref.corpora import read_ecb
from cdcoref.corpus import Document
from cdlm.files import replaced_file
from cdlm.runs import RUN_FILE
from cdlm.settings import with_settings
from cdlm.tasks import MatchModel, MatchTraining, TextPair, match_scores, predict_pairs, train_matcher

MONTHS_AND_DAYS = (
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
)
DATES = frozenset(MONTHS_AND_DAYS.split())
SHORTEST_SENTENCE = 8
"""Minimum number of words in a full sentence; shorter ones are mostly titles, names or dates."""
SETTINGS = {
    "epochs": 2, "batch_size": 16, "learning_rate": 1e-4, "head_learning_rate": 5e-4, "max_length": 256,
    "both_orders": True, "save_steps": 50, "log_steps": 10,
}  # fmt: skip


def is_year(word: str) -> bool:
    """Whether a word is a number from 1900 to 2099."""
    return word.isdecimal() and len(word) == 4 and word[:2] in ("19", "20")


def visible_sentences(document: Document) -> list[tuple[str, ...]]:
    """The sentences of a document that are not hidden."""
    kept = [r for number, r in enumerate(document.sentences) if number not in document.hidden]
    return [document.tokens[start:end] for start, end in kept]


def as_read(document: Document, words: int) -> str:
    """The text of a document as the models read it; see the top of this file."""
    full = [s for s in visible_sentences(document) if len(s) >= SHORTEST_SENTENCE and s[-1] in (".", "?", "!")]
    bare = [word for sentence in full for word in re.findall("[a-z]+", " ".join(sentence).lower())]
    return " ".join([word for word in bare if len(word) > 1 and word not in DATES][:words])


def sample_pairs(documents: Sequence[Document], per_topic: int, random: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs of positions of documents of one topic: per topic, as many of one subtopic as of two."""
    topics: dict[str, list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        topics[str(document.topic)].append(position)
    chosen = []
    for members in topics.values():
        both = list(combinations(members, 2))
        kinds = [
            [pair for pair in both if (documents[pair[0]].subtopic == documents[pair[1]].subtopic) == same]
            for same in (True, False)
        ]
        number = min(per_topic, *map(len, kinds))
        for kind in kinds:
            for place in random.choice(len(kind), number, replace=False):
                one, other = kind[place]
                chosen.append((one, other) if random.random() < 0.5 else (other, one))
    return chosen


def format_features(words: Sequence[str]) -> list[float]:
    """The form of a text regardless of content: length, punctuation, numbers and dates, capital letters."""
    count = max(len(words), 1)
    text = "".join(words)
    marks = [text.count(mark) / count for mark in string.punctuation + "“”‘’"]
    return [
        float(len(words)),
        len(text) / count,
        sum(word[:1].isupper() for word in words) / count,
        sum(any(c.isdecimal() for c in word) for word in words) / count,
        sum(is_year(word) for word in words) / count,
        sum(word.lower() in DATES for word in words) / count,
        *marks,
    ]


def pair_features(texts: Sequence[Sequence[str]], pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Differences and products of the format of two texts. *Shape:* (pairs, features)"""
    features = np.array([format_features(words) for words in texts])
    scaled = (features - features.mean(axis=0)) / (features.std(axis=0) + 1e-9)
    first, second = (scaled[[pair[side] for pair in pairs]] for side in (0, 1))
    return np.concatenate([np.abs(first - second), first * second], axis=1)


def scores(labels: Sequence[int], values: np.ndarray, threshold: float) -> dict[str, float]:
    """Percentages for values above a threshold."""
    found = match_scores(labels, [int(value >= threshold) for value in values])
    area = float(roc_auc_score(labels, values))
    return {name: round(100 * value, 1) for name, value in {**asdict(found), "area under ROC": area}.items()}


def best_threshold(labels: Sequence[int], values: np.ndarray) -> float:
    """The threshold with the highest F1."""
    candidates = np.quantile(values, np.linspace(0.02, 0.98, 97))
    return float(max(candidates, key=lambda t: match_scores(labels, [int(v >= t) for v in values]).f1))


def controls(train: dict[str, Any], dev: dict[str, Any], view: str) -> dict[str, Any]:
    """Classifiers that see only the format of the texts."""
    inputs = {name: pair_features(split[view], split["places"]) for name, split in (("train", train), ("dev", dev))}
    kinds = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "random forest": RandomForestClassifier(300, min_samples_leaf=5, random_state=0),
    }
    results = {}
    for name, classifier in kinds.items():
        classifier.fit(inputs["train"], train["labels"])
        results[name] = scores(dev["labels"], classifier.predict_proba(inputs["dev"])[:, 1], 0.5)
    return results


def source_control(train: dict[str, Any], dev: dict[str, Any]) -> float:
    """Area under ROC, in percent, of predicting by its words whether a text comes from ECB or ECB+."""
    vectoriser = TfidfVectorizer(min_df=3)
    classifier = LogisticRegression(C=10, max_iter=2000)
    classifier.fit(vectoriser.fit_transform(train["texts"]), train["sources"])
    values = classifier.predict_proba(vectoriser.transform(dev["texts"]))[:, 1]
    return round(100 * float(roc_auc_score(dev["sources"], values)), 1)


def tfidf(train: dict[str, Any], dev: dict[str, Any]) -> dict[str, float]:
    """Cosine of TF-IDF vectors, the threshold chosen on the train pairs."""
    vectoriser = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(train["texts"] + dev["texts"])
    cosines = []
    for split in (train, dev):
        vectors = vectoriser.transform(split["texts"])
        first, second = (vectors[[pair[side] for pair in split["places"]]] for side in (0, 1))
        cosines.append(np.asarray(first.multiply(second).sum(axis=1)).ravel())
    return scores(dev["labels"], cosines[1], best_threshold(train["labels"], cosines[0]))


def read_split(root: Path, name: str, per_topic: int, words: int, random: np.random.Generator) -> dict[str, Any]:
    """Documents of a split as they are and as they are read, and pairs of them with labels and topics."""
    documents = [one for one in read_ecb(root, name).documents if len(as_read(one, words).split()) == words]
    places = sample_pairs(documents, per_topic, random)
    texts = [as_read(document, words) for document in documents]
    labels = [int(documents[one].subtopic == documents[other].subtopic) for one, other in places]
    return {
        "raw": [[word for sentence in visible_sentences(one) for word in sentence] for one in documents],
        "read": [text.split() for text in texts],
        "texts": texts,
        "places": places,
        "labels": labels,
        "sources": [str(document.subtopic).endswith("plus") for document in documents],
        "topics": [str(documents[one].topic) for one, _ in places],
        "pairs": [
            TextPair(f"{documents[one].id} {documents[other].id}", texts[one], texts[other], label)
            for (one, other), label in zip(places, labels, strict=True)
        ],
    }


def fine_tuned(train: dict[str, Any], dev: dict[str, Any], output: Path, seed: int) -> dict[str, Any]:
    """Train on the train pairs (resuming an interrupted run), and score the dev pairs by topic."""
    config = with_settings(MatchTraining(), {**SETTINGS, "seed": seed})
    folder = output / f"seed-{seed}"
    model: MatchModel = train_matcher(config, train["pairs"], dev["pairs"], folder, resume=folder.exists())
    matches = predict_pairs(model, dev["pairs"]).matches
    found = [match.label for match in matches]
    probabilities = np.array([match.probability for match in matches])
    by_topic = {}
    for topic in dict.fromkeys(dev["topics"]):
        members = [n for n, one in enumerate(dev["topics"]) if one == topic]
        f1 = match_scores([dev["labels"][n] for n in members], [found[n] for n in members]).f1
        by_topic[topic] = round(100 * f1, 1)
    run = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    best = run["best_epoch"]
    return {**scores(dev["labels"], probabilities, 0.5), "F1 by topic": by_topic, "best epoch": best, "seed": seed}


def main() -> None:
    """Parse the command line, measure, and write the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ecb-root", type=Path, required=True, help="folder of ECB+ 1.0")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/ecb-matching"), help="default: %(default)s")
    parser.add_argument("--results", type=Path, default=Path("scripts/results/match_ecb_documents.json"))
    parser.add_argument("--words", type=int, default=50, help="words of each text to read (default: %(default)s)")
    parser.add_argument(
        "--per-topic", type=int, default=40, help="pairs of each label per topic (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, nargs="*", default=[0], help="random seeds of training; none: no training")
    arguments = parser.parse_args()

    random = np.random.default_rng(0)
    train = read_split(arguments.ecb_root, "train", arguments.per_topic, arguments.words, random)
    dev = read_split(arguments.ecb_root, "dev", arguments.per_topic, arguments.words, random)
    results: dict[str, Any] = {
        "command": f"python scripts/match_ecb_documents.py --ecb-root DIR --words {arguments.words} "
        f"--per-topic {arguments.per_topic} --seed {' '.join(map(str, arguments.seed))}",
        "train documents": len(train["texts"]),
        "dev documents": len(dev["texts"]),
        "train pairs": len(train["pairs"]),
        "dev pairs": len(dev["pairs"]),
        "dev topics": len(set(dev["topics"])),
        "always yes": scores(dev["labels"], np.ones(len(dev["labels"])), 0.5),
        "format control, texts as they are": controls(train, dev, "raw"),
        "format control, texts as they are read": controls(train, dev, "read"),
        "source control, area under ROC": source_control(train, dev),
        "TF-IDF cosine": tfidf(train, dev),
        "training": {**SETTINGS, "encoder": "minilm"},
    }
    if arguments.seed:
        results["read together"] = [fine_tuned(train, dev, arguments.output, seed) for seed in arguments.seed]
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    with replaced_file(arguments.results) as path:
        path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
