"""The evaluation protocol: a model and an annotated corpus in, the scores of every setting out, beside those of the
lemma baseline, without singletons, and the ceiling that the groups of documents put on recall."""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Literal

from numpy.typing import NDArray

from cdcoref.corpora import UNKNOWN, AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import KINDS, Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.linking import LinkingOptions, annotated_only, joined_across_stories, lemma_clusters, link_story, read
from cdcoref.model import CorefModel
from cdcoref.predict import LARGER_THAN_STORIES, Predictor, Progress, Topics, summed
from cdcoref.reading import Readings
from cdcoref.scoring import METRICS, score
from cdcoref.training import linkable_groups, span_scores

SETTINGS: tuple[Topics, ...] = ("predicted", "gold_subtopic", "gold_topic")
WITHIN_DOCUMENTS = "document"
BOTH = "both"
Results = dict[str, Any]


def evaluate(
    predictor: Predictor,
    gold: Corpus | AnnotatedCorpus,
    *,
    mentions: Literal["gold", "predicted"] = "gold",
    options: LinkingOptions | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Results:
    """Evaluate a model, or the lemma baseline.

    `gold`: As :func:`annotated_corpora` takes it. Settings for which it has no annotated topics are omitted.
    `mentions`: Whether to cluster the annotated mentions or those that the model detects (in the annotated sentences).

    Returns a dictionary for JSON, scores from 0 to 1: by kind (``unknown`` for mentions without one) and topic setting
    the metrics, ``without_singletons``, ``lemma_baseline`` and the ``ceiling`` of recall; under ``headline`` what is
    reported; ``detection``; ``parameters`` (None if no model was used) and ``seconds``. An `InputError` if there are no
    annotated mentions, or, with predicted ones, no kind is annotated exhaustively.
    """
    options = options or LinkingOptions()
    (annotated,) = annotated_corpora(gold)
    gold, info = annotated.corpus, annotated.info
    if not gold.mentions:
        raise InputError("the corpus has no annotated mentions to score against")
    judged = info.exhaustive if mentions == "predicted" else info.kinds
    if not judged and mentions == "predicted":
        why = "its mentions have no kind" if _has(gold, UNKNOWN) else "it annotates only some mentions"
        raise InputError(f"predicted mentions cannot be scored on this corpus, since {why}; evaluate gold mentions")
    started = time.monotonic()
    readings, groups = Readings(gold), _groups(annotated)
    results: Results = {"mentions": mentions, "documents": len(gold.documents)}
    # The settings differ in what is compared, not in what is read.
    with nullcontext() if predictor.lemma else predictor.model.each_sequence_read_once():
        if mentions == "predicted":
            gold = _of_kinds(gold, judged)
            with predictor.model.in_style(*info.styles):
                found = Readings.joined(read(predictor.model, gold.documents, batch_tokens=options.batch_tokens))
            kept = {mention.key for mention in _of_kinds(annotated_only(found.corpus), judged).mentions}
            readings = found.take([number for number, m in enumerate(found.corpus.mentions) if m.key in kept])
            results["detection"] = _detection(gold, readings.corpus)
        systems = {} if predictor.lemma else _link(predictor.model, readings, groups, options, progress)
    corpus = readings.corpus
    if "predicted" in systems and predictor.model.settings.names_across_stories:
        linked = readings.with_corpus(systems["predicted"])
        systems["predicted"] = joined_across_stories(linked, groups["predicted"])
    kinds = [kind for kind in (*KINDS, UNKNOWN) if _has(gold, kind)]
    if mentions == "predicted" and len(judged) > 1:
        kinds.append(BOTH)
    results |= {kind: {} for kind in kinds}
    for name, grouping in groups.items():
        baseline = lemma_clusters(corpus, grouping)
        system = systems.get(name, baseline)
        ceiling = _split_by_group(gold, grouping)
        for kind in kinds:
            results[kind][name] = {
                **_scores(gold, system, kind),
                "lemma_baseline": _scores(gold, baseline, kind),
                "ceiling": _ceiling(gold, ceiling, kind),
            }
    # Predicted singletons cannot be distinguished from spurious mentions, so the end-to-end headline excludes them.
    singletons = "keep" if mentions == "gold" and info.singletons else "remove"
    headline = next(iter(groups))
    results["headline"] = {"topics": headline, "singletons": singletons}
    for kind in kinds:
        scores = results[kind][headline]
        chosen = scores if singletons == "keep" else scores["without_singletons"]
        results["headline"][kind] = {name: chosen[name] for name in (*METRICS, "conll_f1")}
    used = mentions == "predicted" or not predictor.lemma
    results["parameters"] = predictor.model.parameter_count if used else None
    results["seconds"] = round(time.monotonic() - started, 1)
    return results


def _link(
    model: CorefModel,
    readings: Readings,
    groupings: Mapping[str, Sequence[Sequence[str]]],
    options: LinkingOptions,
    progress: Progress,
) -> dict[str, Corpus]:
    """The clusters under every grouping, story by story, as prediction makes them; each group is linked once."""
    story_of = {name: number for number, story in enumerate(groupings.get("predicted", ())) for name in story}

    def with_story_labels(name: str, group: Sequence[str]) -> bool:
        return name in LARGER_THAN_STORIES and len({story_of.get(document) for document in group}) > 1

    groups = {
        name: [(tuple(sorted(group)), with_story_labels(name, group)) for group in grouping]
        for name, grouping in groupings.items()
    }
    different = list(dict.fromkeys(group for grouping in groups.values() for group in grouping))
    linked: dict[tuple[tuple[str, ...], bool], tuple[Mention, ...]] = {}
    store = _Kept() if model.vector_scorer is None else None
    total = sum(len(group) * (len(group) + 1) // 2 for group, _ in different)
    advance = summed(progress, "comparing", total)
    for number, (group, of_several) in enumerate(different):
        own, _ = readings.of_documents(group)
        labels = story_of if of_several else None
        story = link_story(model, own, options, story_of=labels, store=store, advance=advance)
        linked[group, of_several] = story.corpus.with_prefix(f"{number}_").mentions
    progress("comparing", total, total)
    return {
        name: replace(readings.corpus, mentions=tuple(m for group in grouping for m in linked[group]))
        for name, grouping in groups.items()
    }


class _Kept(dict[bytes, NDArray[Any]]):
    """Results that are computed once, a :class:`cdcoref.linking.ResultStore` in memory."""

    def key(self, *parts: str) -> bytes:
        return "\0".join(parts).encode()

    def put(self, results: Mapping[bytes, NDArray[Any]]) -> None:
        self.update(results)


def _groups(annotated: AnnotatedCorpus) -> dict[str, list[list[str]]]:
    if not annotated.info.cross_document:
        return {WITHIN_DOCUMENTS: linkable_groups(annotated)}
    documents = annotated.corpus.documents
    known = {
        "predicted": True,
        "gold_subtopic": all(document.subtopic is not None for document in documents),
        "gold_topic": all(document.topic is not None for document in documents),
    }
    return {name: linkable_groups(annotated, name) for name in SETTINGS if known[name]}


def _has(corpus: Corpus, kind: str) -> bool:
    return any((m.kind or UNKNOWN) == kind for m in corpus.mentions)


def _of_kinds(corpus: Corpus, kinds: Sequence[str]) -> Corpus:
    return replace(corpus, mentions=tuple(m for m in corpus.mentions if (m.kind or UNKNOWN) in kinds))


def _chosen(corpus: Corpus, kind: str) -> Corpus:
    return corpus if kind == BOTH else _of_kinds(corpus, (kind,))


def _scores(gold: Corpus, system: Corpus, kind: str) -> Results:
    key, response = _chosen(gold, kind), _chosen(system, kind)
    return {**score(key, response).to_dict(), "without_singletons": score(key, response, singletons="remove").to_dict()}


def _split_by_group(gold: Corpus, grouping: Sequence[Sequence[str]]) -> Corpus:
    """The gold clusters split by the groups of documents: the best possible response."""
    group_of = {name: number for number, group in enumerate(grouping) for name in group}
    return gold.with_clusters(lambda m: None if m.cluster is None else f"{m.cluster}\0{group_of[m.document]}")


def _ceiling(gold: Corpus, cut: Corpus, kind: str) -> Results:
    scores = score(_chosen(gold, kind), _chosen(cut, kind))
    recalls = {name: values["recall"] for name, values in scores.to_dict().items() if isinstance(values, dict)}
    return {"conll_f1": scores.conll_f1, "recall": recalls}


def _detection(gold: Corpus, found: Corpus) -> Results:
    """Precision, recall and F1 of predicted mentions by kind, exact and by the last word."""
    table: Results = {}
    for kind in KINDS:
        sides = gold.of_kind(kind).mentions, found.of_kind(kind).mentions
        if sides[0]:
            table[kind] = {
                name: dict(zip(("precision", "recall", "f1"), span_scores(*sides, by_head=by_head), strict=True))
                for name, by_head in (("exact", False), ("last_word", True))
            }
    return table
