"""An epoch's batches: the same for the same seed, all positive pairs, some negatives, silence where nobody looked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpora import CORPORA, AnnotatedCorpus, read_ecb
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_jsonl
from cdcoref.inputs import SequenceOptions
from cdcoref.model import CorefConfig, CorefModel, LabelledBatch, PairBatch, ReadingBatch
from cdcoref.training import SamplingOptions, TrainingData

EVENT, ENTITY = KINDS


def options(**values: Any) -> SamplingOptions:
    defaults = {"negatives": 0.0, "other_subtopics": 0.0, "detection_passes": 0, "batch_tokens": 400}
    return SamplingOptions(**{**defaults, "batch_sequences": 8, **values})


def corpus() -> Corpus:
    """Two topics of two subtopics with three documents each; a mention a word, clusters of a subtopic or of a topic."""
    documents, mentions = [], []
    for topic, subtopic, number in product("12", "ab", range(3)):
        story = f"{topic}{subtopic}"
        name = f"{story}{number}"
        words = [["the", "ferry", "sank", "on", "friday"], ["police", "said", "so"], ["it", "was", "late"]]
        documents.append(
            Document.from_sentences(
                name,
                words[: 2 + (number == 2)],
                topic=topic,
                subtopic=f"{topic}{subtopic}",
                annotated=frozenset([0, 2]),
            )
        )
        mentions += [
            Mention(name, (1,), "entity", f"{story} ferry"),
            Mention(name, (2,), "event", f"{topic} sinking"),
            Mention(name, (4,), "entity", f"{story} friday"),
            Mention(name, (0, 1), "entity", f"{name} own"),
        ]
        if number == 2:
            mentions.append(Mention(name, (9, 10), "event", None))
    return Corpus(tuple(documents), tuple(mentions))


def data(encoder: Path, documents: Any, seed: int = 1, config: CorefConfig | None = None, **values: Any) -> Any:
    short = SequenceOptions(max_length=128)
    config = config or CorefConfig(short, detector_max_length=64, detector_max_words=3, scorer_width=4)
    return TrainingData(CorefModel.from_encoder(encoder, config), documents, options(**values), seed)


def epoch(training: TrainingData, number: int = 0) -> list[LabelledBatch]:
    training.set_epoch(number)
    return [training[position] for position in range(len(training))]


def task_of(batch: LabelledBatch) -> str:
    return "pairs" if isinstance(batch.inputs, PairBatch) else "spans"


def tensors(batch: LabelledBatch) -> dict[str, torch.Tensor]:
    """Everything in a batch, by name."""
    own = {"labels": batch.labels, "weights": batch.weights, "normaliser": batch.normaliser}
    return own | {name: torch.as_tensor(value) for name, value in vars(batch.inputs).items()}


def same(one: Sequence[LabelledBatch], two: Sequence[LabelledBatch]) -> bool:
    return len(one) == len(two) and all(
        tensors(a).keys() == tensors(b).keys() and all(torch.equal(v, tensors(b)[k]) for k, v in tensors(a).items())
        for a, b in zip(one, two, strict=True)
    )


def total(batches: Sequence[LabelledBatch], name: str) -> float:
    return float(sum(tensors(b)[name].sum() for b in batches if task_of(b) == "pairs"))


def positive_pairs(documents: Corpus, level: str) -> tuple[int, int]:
    """Coreferent pairs, and all pairs of one kind, within documents and between those of one group."""
    group = {d.id: getattr(d, level) for d in documents.documents}
    pairs = [
        (a, b) for a, b in combinations(documents.mentions, 2)
        if a.kind == b.kind and group[a.document] == group[b.document]
    ]  # fmt: skip
    return sum(a.cluster == b.cluster is not None for a, b in pairs), len(pairs)


# -- what follows from the seed --------------------------------------------------------------------------------------

EVERYTHING = {"negatives": 2.0, "other_subtopics": 0.5, "detection_passes": 2}


def test_batches_follow_from_seed_and_epoch(tiny_encoder: Path) -> None:
    one, two = data(tiny_encoder, corpus(), **EVERYTHING), data(tiny_encoder, corpus(), **EVERYTHING)
    first = epoch(one, 0)
    second = epoch(one, 1)
    # Another process may begin with any epoch and any batch.
    two.set_epoch(1)
    backwards = [two[position] for position in reversed(range(len(two)))]
    assert same(second, backwards[::-1])
    assert same(first, epoch(two, 0))
    assert not same(first, second)
    assert not same(first, epoch(data(tiny_encoder, corpus(), seed=2, **EVERYTHING)))


@pytest.mark.parametrize("marking", ["all", "pair"])
def test_every_epoch_has_as_many_batches(tiny_encoder: Path, marking: str) -> None:
    config = CorefConfig(SequenceOptions(marking=marking, max_length=128), detector_max_length=64)  # type: ignore[arg-type]
    training = data(tiny_encoder, corpus(), config=config, **EVERYTHING)
    for number in range(3):
        batches = epoch(training, number)
        assert len(batches) == len(training)
        tasks = [task_of(b) for b in batches]
        assert tasks != sorted(tasks)  # mixed
        assert all(len(b.labels) > 0 for b in batches)  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        training[len(training)]


# -- pairs -----------------------------------------------------------------------------------------------------------


def test_every_pair_of_a_subtopic_is_read_once(tiny_encoder: Path) -> None:
    documents = corpus()
    training = data(tiny_encoder, documents)
    positive, pairs = positive_pairs(documents, "subtopic")
    for number in range(2):
        batches = epoch(training, number)
        assert total(batches, "labels") == positive > 0
        assert sum(len(b.labels) for b in batches) == pairs  # type: ignore[arg-type]
        assert total(batches, "weights") == pairs
        assert all(b.normaliser == len(b.labels) for b in batches)  # type: ignore[arg-type]


def test_pairs_of_other_subtopics_are_drawn(tiny_encoder: Path) -> None:
    documents = corpus()
    everything = data(tiny_encoder, documents, other_subtopics=1.0)
    positive, pairs = positive_pairs(documents, "topic")
    batches = epoch(everything)
    assert total(batches, "labels") == positive
    assert sum(len(b.labels) for b in batches) == pairs  # type: ignore[arg-type]
    # 12 documents, 12 pairs within subtopics, and a third of the 18 across them.
    assert data(tiny_encoder, documents, other_subtopics=1 / 3).examples == 12 + 12 + 6


def test_without_annotated_groups_documents_are_grouped_by_their_words(tiny_encoder: Path, sample: Path) -> None:
    documents = read_jsonl(sample / "train_tiny.jsonl")
    unnamed = Corpus(tuple(Document(d.id, d.tokens, d.sentences, d.text, d.offsets) for d in documents.documents),
                     documents.mentions)  # fmt: skip
    counts = [data(tiny_encoder, known_or_not, batch_tokens=4000).examples for known_or_not in (documents, unnamed)]
    assert counts == [4 + 2, 4 + 2]


def test_either_document_stands_first(tiny_encoder: Path) -> None:
    """The words differ, so the order shows in the first sequence of a pair."""
    documents = (
        Document.from_sentences("a", [["ferry", "ferry"]], subtopic="1"),
        Document.from_sentences("b", [["storm", "storm"]], subtopic="1"),
    )
    mentions = tuple(Mention(name, (0,), "event", "x") for name in "ab")
    training = data(tiny_encoder, Corpus(documents, mentions))
    orders = {tuple(epoch(training, number)[0].inputs.input_ids[0].tolist()) for number in range(12)}
    assert len(orders) == 2


def test_negatives_are_sampled_and_positives_are_not(tiny_encoder: Path) -> None:
    documents = corpus()
    training = data(tiny_encoder, documents, negatives=1.5, other_subtopics=1.0)
    positive, pairs = positive_pairs(documents, "topic")
    kept = []
    for number in range(6):
        batches = epoch(training, number)
        assert sum(len(b.labels) for b in batches) == pairs  # type: ignore[arg-type]
        for batch in batches:
            labels, weights = batch.labels, batch.weights
            assert isinstance(labels, torch.Tensor)
            assert isinstance(weights, torch.Tensor)
            assert (weights[labels == 1] == 1).all()
            assert set(weights.tolist()) <= {0.0, 1.0}
            assert batch.normaliser == max(1, weights.sum())
        kept.append(total(batches, "weights") - positive)
    assert np.mean(kept) == pytest.approx(1.5 * positive, rel=0.15)
    assert len(set(kept)) > 1
    # More than there are: all of them.
    assert (
        total(epoch(data(tiny_encoder, documents, negatives=1e6)), "weights")
        == positive_pairs(documents, "subtopic")[1]
    )


def test_one_marked_pair_a_sequence(tiny_encoder: Path) -> None:
    documents = corpus()
    config = CorefConfig(SequenceOptions(marking="pair", max_length=128))
    positive, pairs = positive_pairs(documents, "subtopic")
    whole = data(tiny_encoder, documents, config=config)
    assert whole.examples == pairs
    sampled = data(tiny_encoder, documents, config=config, negatives=0.5)
    found = []
    for number in range(4):
        batches = epoch(sampled, number)
        assert total(batches, "labels") == positive
        assert all(len(b.inputs.pairs) == len(b.inputs.input_ids) for b in batches)  # type: ignore[arg-type]
        found.append(sum(len(b.labels) for b in batches) - positive)  # type: ignore[arg-type]
    assert np.mean(found) == pytest.approx(0.5 * positive, rel=0.25)


def test_documents_with_nothing_to_compare_make_no_batch(tiny_encoder: Path) -> None:
    documents = [Document.from_sentences(n, [["ferry", "sank"]], subtopic="1") for n in "abcd"]
    mentions = [Mention("a", (0,), "entity", "f"), Mention("a", (1,), "event", "s"), Mention("b", (0,), "entity", "f")]
    mentions.append(Mention("c", (1,), "event", "t"))
    training = data(tiny_encoder, Corpus(tuple(documents), tuple(mentions)), batch_sequences=1)
    assert training.examples == len(training) == 2
    assert sorted(float(b.labels.sum()) for b in epoch(training)) == [0.0, 1.0]  # type: ignore[union-attr]


# -- sizes -----------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=80),
    st.integers(1, 1000),
    st.integers(1, 20),
    st.integers(0, 5),
)
def test_batches_of_similar_size(lengths: list[int], tokens: int, sequences: int, seed: int) -> None:
    count = max(1, -(-sum(lengths) // tokens), -(-len(lengths) // sequences))
    batches = TrainingData._split(lengths, count, np.random.default_rng(seed))
    assert len(batches) == count
    assert all(batches)
    chosen = [number for batch in batches for number in batch]
    assert set(chosen) == set(range(len(lengths)))
    if len(lengths) >= count:
        assert len(chosen) == len(lengths)
        assert all(sum(lengths[n] for n in b) <= tokens + max(lengths) or len(b) == 1 for b in batches)


def test_batches_hold_about_as_many_pieces_as_asked_for(tiny_encoder: Path) -> None:
    training = data(tiny_encoder, corpus(), other_subtopics=1.0, batch_tokens=300, batch_sequences=100)
    pieces = [int(b.inputs.attention_mask.sum()) for b in epoch(training)]  # type: ignore[union-attr]
    longest = max(int(b.inputs.attention_mask.sum(1).max()) for b in epoch(training))  # type: ignore[union-attr]
    assert len(pieces) > 5
    assert max(pieces) <= 300 + longest
    assert min(pieces) >= 100


def test_documents_too_long_for_a_batch_are_several_examples(tiny_encoder: Path) -> None:
    """Every pair of mentions is read once, in batches of about the size that was asked for."""
    words = [["ferry", "sank", "late"] for _ in range(40)]
    mentions = [Mention(name, (3 * n,), ENTITY, "x") for name in "ab" for n in range(40)]
    mentions.append(Mention("b", (4,), EVENT, "y"))
    long = Corpus(tuple(Document.from_sentences(name, words, topic="t") for name in "ab"), tuple(mentions))
    for count in (1, 3):
        config = CorefConfig(SequenceOptions(context="sentence", max_length=64))
        training = data(tiny_encoder, long, config=config, batch_tokens=250, batch_sequences=count * 100)
        assert training.examples > 20
        batches = epoch(training)
        assert sum(len(b.labels) for b in batches) == 80 * 79 // 2  # type: ignore[arg-type]
        assert max(int(b.inputs.attention_mask.sum()) for b in batches) <= 2 * 250 + 64  # type: ignore[union-attr]
        assert same(
            batches, epoch(data(tiny_encoder, long, config=config, batch_tokens=250, batch_sequences=count * 100))
        )


def test_a_part_without_comparable_mentions_makes_a_batch_all_the_same(tiny_encoder: Path) -> None:
    """A window of one mention has no pair; where a batch is nothing else, something of its documents is read again."""
    words = [["ferry", "sank", "late"] * 6 for _ in range(12)]
    mentions = tuple(Mention("a", (18 * n,), KINDS[n % 2], "x") for n in range(12))
    config = CorefConfig(SequenceOptions(context="sentence", max_length=64))
    corpus = Corpus((Document.from_sentences("a", words),), mentions)
    training = data(tiny_encoder, corpus, config=config, batch_tokens=32)
    batches = epoch(training)
    assert all(len(b.labels) > 0 for b in batches)  # type: ignore[arg-type]
    assert sum(len(b.labels) for b in batches) >= 2 * 15  # type: ignore[arg-type]


# -- mentions --------------------------------------------------------------------------------------------------------


def test_the_detector_learns_where_somebody_looked(tiny_encoder: Path) -> None:
    documents = corpus()
    training = data(tiny_encoder, documents, detection_passes=1)
    batches = [b for b in epoch(training) if isinstance(b.inputs, ReadingBatch)]
    found = silent = 0
    for batch in batches:
        labels, weights = batch.labels, batch.weights
        assert isinstance(labels, torch.Tensor)
        assert isinstance(weights, torch.Tensor)
        assert labels.shape == weights.shape == (len(batch.inputs.span_starts), len(KINDS))  # type: ignore[arg-type]
        assert (weights[labels == 1] == 1).all()
        assert batch.normaliser == 5 * max(1, labels.sum())  # most spans are clearly no mentions
        found += int(labels.sum())
        silent += int((weights == 0).any(1).sum())
        assert torch.equal(weights[:, 0], weights[:, 1])
    assert found == len(documents.mentions)
    # The second sentence, of three words, is not annotated: six spans of each of the twelve documents.
    assert silent == 12 * 6


def test_detection_reads_the_text_as_often_as_asked_and_skips_what_nobody_annotated(tiny_encoder: Path) -> None:
    documents = corpus()
    sentences = (["ferry"] * 30, ["storm"] * 30, ["police"] * 30)
    long = Document.from_sentences("long", sentences, topic="1", subtopic="1a", annotated=frozenset([1]))
    documents = Corpus((*documents.documents, long), documents.mentions)
    config = CorefConfig(SequenceOptions(max_length=128), detector_max_length=40, detector_max_words=3)
    read = [
        [b.inputs.input_ids for b in epoch(data(tiny_encoder, documents, config=config, detection_passes=n))
         if isinstance(b.inputs, ReadingBatch)]
        for n in (1, 3)
    ]  # fmt: skip
    assert 3 * sum(len(ids) for ids in read[0]) == sum(len(ids) for ids in read[1])  # type: ignore[arg-type]
    tokenizer = CorefModel.from_encoder(tiny_encoder, config).tokenizer
    text = " ".join(tokenizer.decode(row) for ids in read[0] for row in ids)  # type: ignore[union-attr]
    assert text.count("storm") == 30
    # "ferry" and "police" are in the other documents once each, and not in a window that nobody annotated.
    assert text.count("ferry") == text.count("police") == 12


def test_discontinuous_and_long_mentions_are_nobodys_span(tiny_encoder: Path) -> None:
    document = Document.from_sentences("d", [["w", "ferry", "sank", "late", "on", "friday"]])
    mentions = tuple(Mention("d", t, "event", "x") for t in ((0, 2), (1, 2, 3, 4), (5,)))
    training = data(tiny_encoder, Corpus((document,), mentions), detection_passes=1)
    (labels,) = [b.labels for b in epoch(training) if isinstance(b.inputs, ReadingBatch)]
    assert labels.sum() == 1  # type: ignore[union-attr]


# -- what cannot be learnt from --------------------------------------------------------------------------------------


def test_a_corpus_to_learn_nothing_from_is_refused(tiny_encoder: Path) -> None:
    document = Document.from_sentences("d", [["a", "b"]])
    alone = (Mention("d", (0,), "event", "1"), Mention("d", (1,), "event", "2"))
    for mentions in ((), alone, alone[:1]):
        with pytest.raises(InputError, match="no two coreferent mentions"):
            data(tiny_encoder, Corpus((document,), mentions))
    with pytest.raises(InputError, match="a mention of 'd' has no kind"):
        data(tiny_encoder, Corpus((document,), (Mention("d", (0,), None, "1"),)))
    # Clusters of one name and two kinds are two clusters.
    two_kinds = (Mention("d", (0,), "event", "1"), Mention("d", (1,), "entity", "1"))
    with pytest.raises(InputError, match="no two coreferent mentions"):
        data(tiny_encoder, Corpus((document,), two_kinds))


def test_coreferent_mentions_that_are_never_compared_are_nothing_to_learn_from(tiny_encoder: Path) -> None:
    documents = [Document.from_sentences(n, [["ferry", "sank"]], topic=n, subtopic=n) for n in "ab"]
    mentions = [Mention(n, (0,), "event", "1") for n in "ab"]
    with pytest.raises(InputError, match="no two coreferent mentions"):
        data(tiny_encoder, Corpus(tuple(documents), tuple(mentions)))


# -- what corpora say of their annotation ----------------------------------------------------------------------------

NOT_LEARNT = "the mention detector does not learn event mentions, since no corpus annotates all of them"


def known(name: str, *documents: tuple[str, str, str], clusters: str = "x") -> AnnotatedCorpus:
    """Documents of one topic, each an id, its words, and the kind of every word that is a mention (``.``: none)."""
    found, mentions = [], []
    letters = {"v": EVENT, "n": ENTITY}
    for id, words, kinds in documents:
        found.append(Document.from_sentences(id, [words.split()], topic="t", subtopic="s"))
        mentions += [Mention(id, (n,), letters[k], clusters) for n, k in enumerate(kinds) if k in letters]
    return AnnotatedCorpus(Corpus(tuple(found), tuple(mentions)), CORPORA[name].info)


def spans(training: Any) -> list[LabelledBatch]:
    return [batch for batch in epoch(training) if isinstance(batch.inputs, ReadingBatch)]


def texts(training: Any, encoder: Path, task: str) -> str:
    tokenizer = CorefModel.from_encoder(encoder, CorefConfig()).tokenizer
    return " ".join(tokenizer.decode(row) for b in epoch(training) if task_of(b) == task for row in b.inputs.input_ids)


def test_documents_of_a_corpus_without_links_across_documents_are_not_paired(tiny_encoder: Path) -> None:
    two = (("a", "ferry ferry ferry", "nnn"), ("b", "storm storm", "nn"))
    across, within = (known(name, *two) for name in ("meantime", "litbank"))
    assert data(tiny_encoder, across, other_subtopics=1.0).examples == 3
    training = data(tiny_encoder, within, other_subtopics=1.0)
    assert training.examples == 2
    assert sum(len(batch.labels) for batch in epoch(training)) == 3 + 1


def test_corpora_are_never_compared_with_each_other(tiny_encoder: Path) -> None:
    """Nor are clusters of one name in two corpora one cluster."""
    parts = [known("meantime", ("a", "ferry ferry", "nn")), known("ecb", ("b", "storm storm", "n.")),
             known("litbank", ("c", "police", "n"))]  # fmt: skip
    training = data(tiny_encoder, parts)
    assert training.examples == 1
    assert len(set(training._clusters.tolist())) == 3
    with pytest.raises(InputError, match="two corpora contain the document 'a'; train on one of them"):
        data(tiny_encoder, [parts[0], parts[0]])


def test_the_detector_learns_a_kind_where_all_of_it_is_annotated(tiny_encoder: Path) -> None:
    """ECB+ annotates events and entities, GUM (nominal) events not exhaustively, GVC neither."""
    ecb = known("ecb", ("e", "ferry sank", "nv"), ("e2", "ferry sank", "nv"))
    gum = known("gum", ("g", "storm late", "vn"), ("g2", "storm late", "vn"))
    gvc = known("gvc", ("s", "police said", ".v"), ("s2", "police said", ".v"))
    training = data(tiny_encoder, [ecb, gum, gvc], detection_passes=1)
    assert "police" not in texts(training, tiny_encoder, "spans")
    weights = np.concatenate([b.weights.numpy() for b in spans(training)])  # type: ignore[union-attr]
    labels = np.concatenate([b.labels.numpy() for b in spans(training)])  # type: ignore[union-attr]
    # Three spans a document: two documents count for both kinds, two for entities alone.
    assert weights.sum(0).tolist() == [2 * 3, 4 * 3]
    assert (labels * weights).sum(0).tolist() == [2, 4]
    assert labels[weights == 0].sum() == 0
    assert training.notes == []


def test_a_kind_that_no_corpus_annotates_exhaustively_is_taught_as_absent(tiny_encoder: Path) -> None:
    gum = known("gum", ("g", "storm late", "vn"), ("g2", "storm late late", "vnn"))
    training = data(tiny_encoder, gum, detection_passes=1)
    for batch in spans(training):
        assert (batch.weights == 1).all()  # type: ignore[union-attr]
        assert batch.labels.sum(0)[0] == 0  # type: ignore[union-attr]
    assert training.notes == [
        "the mention detector does not learn event mentions, since no corpus annotates all of them"
    ]
    # As with one kind alone: the other is never found.
    entities = data(tiny_encoder, gum.of_kind(ENTITY), detection_passes=1)
    assert all((batch.weights == 1).all() for batch in spans(entities))  # type: ignore[union-attr]
    assert entities.notes == []


def test_without_exhaustive_kinds_there_is_nothing_to_detect(tiny_encoder: Path) -> None:
    gvc = known("gvc", ("s", "police said said", ".vv"))
    training = data(tiny_encoder, gvc, detection_passes=2)
    assert spans(training) == []
    assert len(training) == len(epoch(training)) == 1
    assert training.notes == [
        "the mention detector does not learn event mentions, since no corpus annotates all of them"
    ]


def test_a_corpus_of_which_no_sentence_is_annotated_is_refused(tiny_encoder: Path) -> None:
    """As the eight columns of CoNLL say it where the flag is never set."""
    spoken = corpus()
    silent = replace(spoken, documents=tuple(replace(d, annotated=frozenset()) for d in spoken.documents))
    with pytest.raises(InputError, match="no sentence of this corpus is marked as annotated"):
        data(tiny_encoder, silent, detection_passes=1)
    assert len(epoch(data(tiny_encoder, silent, detection_passes=0))) > 0


def test_a_weight_is_the_share_of_a_corpus_in_an_epoch(tiny_encoder: Path) -> None:
    ferries = known("ecb", *((f"f{n}", "ferry ferry", "nn") for n in range(8)))
    storms = known("litbank", *((f"s{n}", "storm storm", "nn") for n in range(20)))
    values: dict[str, Any] = {"detection_passes": 2, "weights": {"litbank": 0.25}}
    training = data(tiny_encoder, [ferries, storms], **values)
    assert training.examples == 8 + 28 + 5
    read = []
    for number in range(3):
        batches = epoch(training, number)
        assert len(batches) == len(training)
        tokenizer = CorefModel.from_encoder(tiny_encoder, CorefConfig()).tokenizer
        for task, passes, ferry, storm in (("pairs", 1, 8 * 2 + 28 * 4, 5 * 2), ("spans", 2, 8 * 2, 5 * 2)):
            rows = [row for b in batches if task_of(b) == task for row in b.inputs.input_ids]
            text = " ".join(tokenizer.decode(row) for row in rows)
            assert (text.count("ferry"), text.count("storm")) == (passes * ferry, passes * storm)
        read.append(batches)
    assert not same(read[0], read[1])
    assert same(read[1], epoch(data(tiny_encoder, [ferries, storms], **values), 1))
    # A corpus of weight 1, and one without a weight, are read whole.
    whole = data(tiny_encoder, [ferries, storms], detection_passes=2, weights={"litbank": 1.0})
    assert same(epoch(whole), epoch(data(tiny_encoder, [ferries, storms], detection_passes=2)))
    with pytest.raises(
        InputError, match=r"^sampling\.weights has a weight for 'gum', but the training corpora are ecb, litbank"
    ):
        data(tiny_encoder, [ferries, storms], weights={"gum": 0.5})


def digest(batches: Sequence[LabelledBatch]) -> str:
    """What is read and what is to be learnt from it, whatever the names of the places of spans and pairs."""
    total = hashlib.sha256()
    for batch in batches:
        total.update(str(task_of(batch)).encode())
        for name in ("input_ids", "labels", "weights", "normaliser"):
            total.update(tensors(batch)[name].numpy().tobytes())
    return total.hexdigest()


def test_batches_of_ecb_alone_are_what_they_were_before_there_were_other_corpora(ecb_root: Path) -> None:
    """Recorded with the version that knew ECB+ alone. A model with another tokenizer gives others."""
    model = CorefModel.from_pretrained("small")
    recorded = {
        (0.0, 0.3, 2): ("fa66f535c19958c0b5ee99269f6cb2b4e703622dbd4384300d0c903006940dbd",
                        "9e44a9cad1b63de16b99b793cc37f0a229f33a07ba44f6c94f2a9fc215593181"),
        (2.0, 0.5, 1): ("dacaa8e7e93c2056645c92565a3e2cdfe3512476fd6863fd68bcbfb8f760f75b",
                        "97914fe95974a4ab7399aad910335efcb4726f9c0b754eef473881f6f065a70b"),
    }  # fmt: skip
    topics = read_ecb(ecb_root, [2, 5])
    for (negatives, other, passes), digests in recorded.items():
        for corpora in (topics, AnnotatedCorpus(topics, CORPORA["ecb"].info)):
            training = TrainingData(model, corpora, SamplingOptions(negatives, other, passes, 4096, 64), 3)
            for number, expected in enumerate(digests):
                training.set_epoch(number)
                assert digest([training[position] for position in range(8)]) == expected
