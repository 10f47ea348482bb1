"""What the stages of training read from annotated corpora, and what the encoder says of the mentions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.facts import with_parses
from cdcoref.language import last_word_of_head
from cdcoref.model import CorefModel, collate_readings, token_batches
from cdcoref.stories import Setting, group_documents
from cdlm.printing import as_lines
from cdlm.runs import Say
from cdlm.validation import number

T = TypeVar("T")

PARSED_AT_ONCE = 32
"""Documents that are parsed before progress is shown."""
Shares = Mapping[str, Annotated[float, number(0, most=10**6)]]
"""By corpus, how much of it is seen; 1 where a corpus is not named."""


def in_annotated(document: Document, tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which tokens of a document are in annotated sentences. *Shape:* (tokens,)"""
    if document.annotated is None:
        return np.ones(len(tokens), dtype=bool)
    return np.isin(np.array(document.sentence_of_tokens(), dtype=np.int64)[tokens], list(document.annotated))


def with_parsed_documents(parts: Sequence[AnnotatedCorpus], say: Say) -> list[AnnotatedCorpus]:
    """Corpora whose documents have a parse, so that no stage of training parses them again."""
    advance, total = as_lines(say), sum(len(part.corpus.documents) for part in parts)
    parsed, done = [], 0
    for part in parts:
        documents: list[Document] = []
        for start in range(0, len(part.corpus.documents), PARSED_AT_ONCE):
            documents += with_parses(part.corpus.documents[start : start + PARSED_AT_ONCE])
            advance("parsing documents", done + len(documents), total)
        done += len(documents)
        parsed.append(replace(part, corpus=replace(part.corpus, documents=tuple(documents))))
    return parsed


def linkable_groups(part: AnnotatedCorpus, setting: Setting = "predicted") -> list[list[str]]:
    """The groups of documents, by id, whose mentions may corefer: each document alone if links across documents are not
    annotated, otherwise as :func:`cdcoref.stories.group_documents` finds them."""
    if not part.info.cross_document:
        return [[document.id] for document in part.corpus.documents]
    return group_documents(part.corpus.documents, setting)


def widest_setting(corpus: Corpus) -> Setting:
    """Annotated topics, where every document has one; their sibling stories are the hardest to tell apart."""
    return "gold_topic" if all(document.topic is not None for document in corpus.documents) else "predicted"


def story_setting(corpus: Corpus) -> Setting:
    """The finest groups that are annotated for every document: subtopics, else topics, else none but the predicted."""
    return (
        "gold_subtopic"
        if all(document.subtopic is not None for document in corpus.documents)
        else widest_setting(corpus)
    )


def cluster_numbers(corpus: Corpus, cross_document: bool = True) -> NDArray[np.int64]:
    """The number of each mention's cluster; without `cross_document`, names hold in documents. *Shape:* (mentions,)"""
    names: dict[object, int] = {}
    keys = (
        number if m.cluster is None else (None if cross_document else m.document, m.kind, m.cluster)
        for number, m in enumerate(corpus.mentions)
    )
    return np.array([names.setdefault(key, len(names)) for key in keys], dtype=np.int64)


def drawn_by_share(
    items: Sequence[Sequence[T]],
    parts: Sequence[AnnotatedCorpus],
    shares: Mapping[str, float],
    passes: int,
    rng: np.random.Generator,
    setting: str,
) -> list[list[T]]:
    """Pass by pass, in random order, the share that is seen of each corpus (2: twice); `setting` is its name."""
    counts = [round(shares.get(part.info.name, 1.0) * len(own)) for own, part in zip(items, parts, strict=True)]
    if any(items) and not any(counts):
        raise InputError(f"{setting} leaves nothing to learn from; raise the shares")
    seen: list[list[T]] = []
    for _ in range(passes):
        one: list[T] = []
        for own, count in zip(items, counts, strict=True):
            left = count
            while left > 0:
                one += [own[place] for place in rng.permutation(len(own))[:left].tolist()]
                left -= len(own)
        seen.append([one[place] for place in rng.permutation(len(one)).tolist()])
    return seen


def check_weights(weights: Mapping[str, float], parts: Sequence[AnnotatedCorpus], setting: str) -> None:
    """Refuse a weight for a corpus that is not trained on, and weights of 0 for all corpora that are."""
    names = {part.info.name for part in parts}
    for name in weights:
        if name not in names:
            known = ", ".join(sorted(names))
            raise InputError(f"{setting} has a weight for {name!r}, but the training corpora are {known}")
    if names and not any(weights.get(name, 1.0) for name in names):
        raise InputError(f"{setting} is 0 for every training corpus, so nothing would be learnt")


READ_TOKENS = 16_384
"""Word pieces that the encoder reads at once when heads are fitted and the model is tuned."""
DOCUMENTS_AT_ONCE = 64
"""Documents whose sequences are sorted by length together."""


@dataclass(frozen=True, slots=True)
class ReadWords:
    """The words of mentions, fp16: their mean, and the last of them or of their head. *Shape:* (mentions, width)"""

    mean: Tensor
    last: Tensor


def read_words(
    model: CorefModel, corpus: Corpus, *, progress: Callable[[str, int, int], None] = lambda stage, done, total: None
) -> ReadWords:
    """Read every document of a corpus by itself; zeros for what the encoder does not read."""
    width = model.word_layer_width
    numbers = corpus.mention_numbers()
    mean, last = (torch.zeros(len(corpus.mentions), width, dtype=torch.float16) for _ in range(2))
    with_mentions = [document for document in corpus.documents if numbers[document.id]]
    for start in range(0, len(with_mentions), DOCUMENTS_AT_ONCE):
        block = with_mentions[start : start + DOCUMENTS_AT_ONCE]
        for document, words in zip(block, _words(model, block, width), strict=True):
            for mention in numbers[document.id]:
                own = list(corpus.mentions[mention].tokens)
                mean[mention] = words[own].mean(dim=0).half()
                place = last_word_of_head(document, corpus.mentions[mention])
                last[mention] = words[place].half()
        progress("reading", start + len(block), len(with_mentions))
    return ReadWords(mean, last)


def _words(model: CorefModel, documents: Sequence[Document], width: int) -> list[Tensor]:
    build = model.reading_builder(syntax=False)
    found = [torch.zeros(len(document.tokens), width) for document in documents]
    sequences = [(place, sequence) for place, document in enumerate(documents) for sequence in build(document)]
    for positions in token_batches([len(sequence) for _, sequence in sequences], READ_TOKENS):
        chosen = [sequences[position] for position in positions]
        batch = collate_readings([sequence for _, sequence in chosen], model.encoder.config.pad_token_id)
        with model.inference():
            layers = model.normalised_layers(batch.to(model.device)).cpu()
        sizes = [len(sequence.words) for _, sequence in chosen]
        for (place, sequence), rows in zip(chosen, layers.split(sizes), strict=True):
            found[place][torch.from_numpy(sequence.words)] = rows
    return found
