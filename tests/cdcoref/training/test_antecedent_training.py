"""Training the scorer of antecedents: it learns a simple rule, of each corpus its share, the same for the same seed."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from cdcoref.corpora import CORPORA, AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.linking import compare_vectors, read_vectors
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.reading import Readings
from cdcoref.training import AntecedentTraining, VectorTraining, fit_antecedents, fit_vectors, read_words, tune

NAMES = ["Adam", "Ben", "Carl", "Dan"]
OPTIONS = VectorOptions(layers=2, pair_features=("same_words",), vector_width=8, antecedents=4, antecedent_width=16)


def document(number: int, rng: np.random.Generator, refers: str = "he") -> tuple[Document, list[Mention]]:
    """Sentences of a name and a pronoun, "he" or "it": one is the name before it, the other is nobody."""
    sentences, mentions, start = [], [], 0
    for n in range(6):
        name, pronoun = NAMES[rng.integers(len(NAMES))], ("he", "it")[rng.integers(2)]
        sentences.append([name, ",", pronoun, "."])  # no subject and object, which are two
        cluster = f"{number}-{n}"
        mentions.append(Mention(str(number), (start,), "entity", cluster=cluster))
        own = cluster if pronoun == refers else f"{cluster}-it"
        mentions.append(Mention(str(number), (start + 2,), "entity", cluster=own))
        start += 4
    return Document.from_sentences(str(number), sentences), mentions


def corpus(seed: int, documents: int, refers: str = "he") -> Corpus:
    rng = np.random.default_rng(seed)
    made = [document(number, rng, refers) for number in range(documents)]
    return Corpus(tuple(d for d, _ in made), tuple(m for _, own in made for m in own))


def fitted(model: CorefModel) -> tuple[CorefModel, list[str]]:
    changed = copy.deepcopy(model)
    torch.manual_seed(0)
    changed.add_vectors(OPTIONS)
    said: list[str] = []
    learnt = corpus(0, 12)
    words = read_words(changed.eval(), learnt)
    fit_antecedents(
        changed, annotated_corpora(learnt), [words], AntecedentTraining(passes=12, rate=3e-2),
        rng=np.random.default_rng(0), say=said.append,
    )  # fmt: skip
    return changed, said


@pytest.fixture(scope="module")
def trained(tiny_model: CorefModel) -> CorefModel:
    return fitted(tiny_model)[0]


def referring(made: Corpus) -> set[int]:
    """The pronouns, every second mention, that refer to something."""
    clusters = [mention.cluster for mention in made.mentions]
    return {n for n in range(1, len(clusters), 2) if clusters[n] is not None and not str(clusters[n]).endswith("it")}


def antecedents(model: CorefModel, made: Corpus) -> dict[int, tuple[int, float]]:
    """By pronoun, every second mention, its antecedent and their log-odds."""
    evidence = compare_vectors(model, Readings(made, read_vectors(model, made, batch_tokens=512)))
    columns = (evidence.first, evidence.second, evidence.bi_encoder)
    found = zip(*(column[evidence.antecedents].tolist() for column in columns), strict=True)
    chosen = {one if one % 2 else other: (other if one % 2 else one, odds) for one, other, odds in found}
    assert len(chosen) == evidence.antecedents.sum()
    return chosen


def test_it_learns_where_antecedents_stand(trained: CorefModel) -> None:
    unseen = corpus(1, 5)
    found = antecedents(trained, unseen)
    assert set(found) == referring(unseen)
    for pronoun, (antecedent, odds) in found.items():
        assert unseen.mentions[antecedent].cluster == unseen.mentions[pronoun].cluster
        assert odds > 0


def test_tuning_calibrates_antecedents_and_changes_none(trained: CorefModel) -> None:
    """Of the pronouns that refer to something three in ten are annotated with something else."""
    dev, rng = corpus(4, 16), np.random.default_rng(4)
    pronouns = referring(dev)
    wrong = {number for number in sorted(pronouns) if rng.random() < 0.3}
    mentions = tuple(replace(m, cluster=f"{m.cluster}*") if n in wrong else m for n, m in enumerate(dev.mentions))
    annotated = AnnotatedCorpus(replace(dev, mentions=mentions), CORPORA["litbank"].info)
    config, _ = tune(trained, annotated, kinds=("entity",))
    evidence = compare_vectors(trained, Readings(dev, read_vectors(trained, dev, batch_tokens=512)))
    of_pronouns = evidence.antecedents

    def probabilities(settings: CorefConfig) -> NDArray[np.float64]:
        return evidence.combine(settings.vectors).probabilities(settings.temperature)[of_pronouns]

    before, after = probabilities(trained.settings), probabilities(config)
    assert before.mean() > 0.95
    assert after.mean() == pytest.approx(1 - len(wrong) / len(pronouns), abs=0.05)
    assert (after > 0.5).all()
    assert config.vectors.combine.event.antecedent_weight == 1.0
    again, _ = tune(with_settings(trained, config), annotated, kinds=("entity",))
    assert again.vectors.combine.entity.antecedent_weight == pytest.approx(
        config.vectors.combine.entity.antecedent_weight, rel=0.01
    )


def with_settings(model: CorefModel, settings: CorefConfig) -> CorefModel:
    changed = copy.deepcopy(model)
    changed.settings = settings
    return changed


def test_the_same_seed_gives_the_same_scorer_and_no_other_change(tiny_model: CorefModel, trained: CorefModel) -> None:
    again, said = fitted(tiny_model)
    for name, weight in again.state_dict().items():
        assert torch.equal(weight, trained.state_dict()[name])
        if name in tiny_model.state_dict() and not name.startswith("vector_scorer."):
            assert torch.equal(weight, tiny_model.state_dict()[name])
    assert said[0].startswith("antecedents: 72 pronouns, loss ")


def test_without_pronouns_there_is_nothing_to_learn(tiny_model: CorefModel) -> None:
    model = copy.deepcopy(tiny_model)
    model.add_vectors(OPTIONS)
    before = copy.deepcopy(model.state_dict())
    only = Corpus((Document.from_sentences("d", [["Anna", "ran"]]),), (Mention("d", (0,), "entity", cluster="1"),))
    said: list[str] = []
    words = read_words(model, only)
    fit_antecedents(
        model, annotated_corpora(only), [words], AntecedentTraining(), rng=np.random.default_rng(0), say=said.append
    )
    assert said == ["antecedents: no pronouns to learn from"]
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())


def test_of_each_corpus_its_share_is_learnt(tiny_model: CorefModel) -> None:
    """Two corpora that say the opposite of each other: the one that counts is learnt."""
    model = copy.deepcopy(tiny_model)
    model.add_vectors(OPTIONS)
    made = [corpus(0, 12), corpus(1, 12, refers="it")]
    parts = [AnnotatedCorpus(own, CORPORA[name].info) for own, name in zip(made, ("gum", "litbank"), strict=True)]
    words = [read_words(model.eval(), own) for own in made]
    unseen = corpus(2, 5)
    he = referring(unseen)
    it = set(range(1, len(unseen.mentions), 2)) - he
    for shares, expected in (({"litbank": 0.0}, he), ({"gum": 0.0, "litbank": 2.0}, it)):
        changed = copy.deepcopy(model)
        training = AntecedentTraining(passes=12, rate=3e-2, corpus_shares=shares)
        torch.manual_seed(0)
        fit_antecedents(changed, parts, words, training, rng=np.random.default_rng(0), say=[].append)
        assert set(antecedents(changed, unseen)) == expected
    training = AntecedentTraining(corpus_shares={"gum": 0.0, "litbank": 0.0})
    with pytest.raises(InputError, match=r"vectors\.antecedents\.corpus_shares leaves nothing to learn from"):
        fit_antecedents(model, parts, words, training, rng=np.random.default_rng(0), say=[].append)


def test_documents_that_state_a_gender_are_seen_with_genders_swapped(tiny_model: CorefModel) -> None:
    model = copy.deepcopy(tiny_model)
    texts = {"a": ["The guard left .", "She wept ."], "b": ["The rain fell .", "It stopped ."]}
    documents = tuple(Document.from_sentences(name, [line.split() for line in text]) for name, text in texts.items())
    mentions = [Mention(name, own, "entity", cluster=name) for name in texts for own in ((0, 1), (4,))]
    read: list[str] = []

    def see(_: object, given: tuple[torch.Tensor, ...], __: object) -> None:
        decode = model.tokenizer.backend.decode
        read.extend(decode(ids.tolist(), skip_special_tokens=True).replace(" ##", "") for ids in given[0])

    said: list[str] = []
    training = VectorTraining(scorer_steps=1, antecedents=AntecedentTraining(passes=1))
    with model.encoder.register_forward_hook(see):
        parts = annotated_corpora(Corpus(documents, tuple(mentions)))
        fit_vectors(model, parts, OPTIONS, training, seed=0, say=said.append)
    assert {"the guard left . she wept .", "the guard left . he wept .", "the rain fell . it stopped ."} <= set(read)
    assert said[0].startswith("antecedents: 3 pronouns, loss ")
