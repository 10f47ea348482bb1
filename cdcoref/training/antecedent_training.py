"""Training the scorer of antecedents on an encoder that does not change, also on texts with genders swapped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import Corpus, Document
from cdcoref.language import continues_phrase, gender_of_first_name, is_common_word
from cdcoref.linking import Anaphora, anaphora, mentions_by_kind
from cdcoref.model import CorefModel, antecedent_loss
from cdcoref.reading import Readings
from cdcoref.training.sources import ReadWords, Shares, drawn_by_share
from cdcoref.word_tables import rows, words_in
from cdlm.gradients import optimise
from cdlm.runs import Say
from cdlm.validation import Checked, Count, number

_OTHER: dict[str, str] = {}
for _row in rows("gender_pairs.tsv"):
    _OTHER.setdefault(_row["man"], _row["woman"])
    _OTHER.setdefault(_row["woman"], _row["man"])
_OTHER["hers"] = "his"
_GENDERS = {row["name"]: row["gender"] for row in rows("first_names.tsv")}
_NOT_POSSESSED = words_in("function_words.tsv", "not possessed")


def with_genders_swapped(words: Sequence[str]) -> list[str]:
    """The words of a text with pronouns, nouns, titles and first names of the other gender, one for one.

    What states no gender stays: surnames, and first names of both genders.

    >>> " ".join(with_genders_swapped("Mr. Hale told her sister Paula that her car was his .".split()))
    'Ms. Hale told his brother Ned that his car was hers .'
    """
    return [_swapped(words, place) for place in range(len(words))]


def _swapped(words: Sequence[str], place: int) -> str:
    word = words[place]
    lower = word.casefold()
    following = words[place + 1] if place + 1 < len(words) else "."
    before_noun = continues_phrase(following) and following.casefold() not in _NOT_POSSESSED
    if lower == "her" and before_noun:
        return _like(word, "his")
    if lower == "his":
        return _like(word, "her" if before_noun else "hers")
    if lower in _OTHER:
        return _like(word, _OTHER[lower])
    is_surname = place > 0 and words[place - 1].istitle() and words[place - 1].casefold() not in _OTHER
    if not word.istitle() or is_surname or is_common_word(lower):
        return word
    states_gender = gender_of_first_name(lower, alone=not following.istitle())
    return _like(word, _name_of_other_gender(lower)) if states_gender else word


def _like(word: str, other: str) -> str:
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other


def _name_of_other_gender(name: str) -> str:
    """A first name for another person, of the other gender: "ned" for "paula"."""
    own, others = (
        [other for other in _GENDERS if (_GENDERS[other] == _GENDERS[name]) is same] for same in (True, False)
    )
    return others[own.index(name) * len(others) // len(own)]


@dataclass(frozen=True, slots=True)
class AntecedentTraining(Checked):
    """How the scorer of antecedents is trained."""

    passes: Count = 6
    """Number of passes over the documents; each document is a batch."""
    rate: Annotated[float, number(0, most=1)] = 1e-3
    decay: Annotated[float, number(0, most=1)] = 0.05
    """The largest learning rate, and the weight decay."""
    pronouns: Count = 60
    """Maximum number of pronouns of a document in a pass, drawn at random."""
    corpus_shares: Shares = field(default_factory=dict)
    """By corpus, the share of its documents that a pass sees; 2 reads each twice. 1 where a corpus is not named. If
    each is seen once, a corpus of a hundred documents counts for little beside one of a thousand."""


@dataclass(frozen=True, slots=True)
class _Example:
    """The pronouns of a document with their candidates, the words of all mentions, and which candidates corefer."""

    known: Anaphora
    mean: Tensor
    last: Tensor
    right: Tensor

    def pronouns(self, limit: int, rng: np.random.Generator) -> tuple[np.ndarray, list[int]]:
        """Pairs of at most `limit` pronouns, and the candidates of each."""
        sizes = np.array(self.known.sizes)
        chosen = rng.permutation(len(sizes))[:limit]
        ends = sizes.cumsum()
        pairs = np.concatenate([np.arange(ends[n] - sizes[n], ends[n]) for n in chosen])
        return pairs, sizes[chosen].tolist()


def swapped(part: AnnotatedCorpus) -> AnnotatedCorpus:
    """The documents of a corpus that state a gender, with genders swapped, and the mentions in them."""
    documents = []
    for document in part.corpus.documents:
        words = with_genders_swapped(document.tokens)
        if words != list(document.tokens):
            plain = Document.from_sentences(document.id, [words[start:end] for start, end in document.sentences])
            document = replace(document, parse=None)  # its parse is that of other words
            documents.append(replace(document, tokens=plain.tokens, text=plain.text, offsets=plain.offsets))
    corpus = part.corpus.subset([document.id for document in documents])
    return replace(part, corpus=replace(corpus, documents=tuple(documents)))


def fit_antecedents(
    model: CorefModel,
    parts: Sequence[AnnotatedCorpus],
    words: Sequence[ReadWords],
    training: AntecedentTraining,
    *,
    rng: np.random.Generator,
    say: Say,
) -> None:
    """Train the scorer of antecedents; an `InputError` if the shares of corpora leave no document with pronouns."""
    scorer = model.antecedent_scorer
    assert scorer is not None
    examples = [list(_examples(part.corpus, own)) for part, own in zip(parts, words, strict=True)]
    if not any(examples):
        say("antecedents: no pronouns to learn from")
        return
    passes = drawn_by_share(
        examples, parts, training.corpus_shares, training.passes, rng, "vectors.antecedents.corpus_shares"
    )
    trained = list(scorer.parameters())
    optimiser = torch.optim.AdamW(trained, lr=training.rate, weight_decay=training.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, training.rate, total_steps=sum(map(len, passes)))
    scorer.train()
    for seen in passes:
        losses = []
        for example in seen:
            pairs, sizes = example.pronouns(training.pronouns, rng)
            known = example.known
            vectors = scorer.projection(example.mean.float().to(model.device), example.last.float().to(model.device))
            tables = (known.classes, known.known, known.pronouns[pairs], known.candidates[pairs], known.pairs[pairs])
            logits = scorer(vectors, *(torch.from_numpy(table).to(model.device) for table in tables))
            loss = antecedent_loss(logits, example.right[torch.from_numpy(pairs)].to(model.device), sizes)
            losses.append(optimise(loss, trained, optimiser, schedule))
    scorer.eval()
    count = sum(len(example.known.sizes) for own in examples for example in own)
    say(f"antecedents: {count} pronouns, loss {sum(losses) / len(losses):.3f} in the last pass")


def _examples(corpus: Corpus, words: ReadWords) -> Iterator[_Example]:
    seen = Readings(corpus).facts.mentions
    for mentions in mentions_by_kind(corpus):
        known = anaphora([seen[n] for n in mentions])
        if not known.sizes:
            continue
        clusters = [corpus.mentions[n].cluster for n in mentions]
        right = [
            clusters[p] is not None and clusters[p] == clusters[c]
            for p, c in zip(known.pronouns.tolist(), known.candidates.tolist(), strict=True)
        ]
        yield _Example(known, words.mean[mentions], words.last[mentions], torch.tensor(right))
