"""The whole arrow, for texts or a corpus: mentions found, documents grouped and compared, mentions clustered.

import cdcoref
prediction = cdcoref.load().predict(["first text ...", "second text ..."])
for cluster in prediction.clusters():
    print(cluster.kind, [(m.document, m.start, m.end, m.text) for m in cluster.mentions])
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np

from cdcoref.clustering import agglomerative
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import tokenise_text
from cdcoref.results import Plan, Prediction
from cdcoref.stories import group_documents, nearest_pairs

if TYPE_CHECKING:
    import torch

    from cdcoref.engines import ResultCache
    from cdcoref.linking import PairLogits
    from cdcoref.model import CorefConfig, CorefModel

Precision = Literal["auto", "fp32", "bf16", "int8"]
Topics = Literal["predicted", "gold_subtopic", "gold_topic", "none"]
Progress = Callable[[str, int, int], None]
LEMMA = "lemma"


@dataclass(frozen=True, slots=True)
class PredictionOptions:
    """How a prediction is made.

    Attributes
    ----------
    kind
        ``"event"``, ``"entity"``, or ``"both"``.
    topics
        Mentions are linked only within groups of documents: groups found in the text (``"predicted"``), annotated ones,
        or one group of all documents (``"none"``).
    threshold
        Clusters are merged while the probability that their mentions corefer is above it; None: the model's own.
    max_pairs
        Compare each document with at most so many others of its group, the nearest by TF-IDF, and each part of a
        document that is too long for one sequence with at most so many other parts; None: with all.
    batch_tokens
        Word pieces that the encoder reads at once.
    find_mentions
        Find mentions even in documents that come with some.
    """

    kind: Literal["event", "entity", "both"] = "both"
    topics: Topics = "predicted"
    threshold: float | None = None
    max_pairs: int | None = None
    batch_tokens: int = 8192
    find_mentions: bool = False

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise InputError(f"the threshold is a probability, from 0 to 1, and not {self.threshold}")
        if self.max_pairs is not None and self.max_pairs < 1:
            raise InputError(f"max-pairs must be 1 or more, not {self.max_pairs}")
        if self.batch_tokens < 1:
            raise InputError(f"batch-tokens must be 1 or more, not {self.batch_tokens}")


class Announce(Protocol):
    """Is told the plan before the long part of the work begins."""

    def __call__(self, plan: Plan) -> None:
        """Take note."""


class Predictor:
    """A model that is ready to predict; made by :func:`load`.

    Parameters
    ----------
    model
        The coreference model; for the lemma baseline it only finds mentions.
    lemma
        Cluster by head lemma instead of by the model.
    """

    def __init__(self, model: CorefModel, *, lemma: bool = False) -> None:
        self.model = model
        self.lemma = lemma

    def predict(
        self,
        texts: Corpus | Mapping[str, str] | Sequence[str],
        options: PredictionOptions | None = None,
        *,
        cache: str | Path | None = None,
        announce: Announce | None = None,
        progress: Progress = lambda stage, done, total: None,
    ) -> Prediction:
        """Find mentions and which of them are the same, across all the documents.

        Parameters
        ----------
        texts
            Texts (their ids are ``"1"``, ``"2"``, ...), texts by id, or a corpus. Mentions that a corpus comes with are
            used (those without a kind are of `options.kind`); if it has none they are found.
        options
            See :class:`PredictionOptions`.
        cache
            Folder in which results are kept, so that an interrupted run goes on where it stopped.
        announce
            Is told the plan.
        progress
            Is told a stage (``"finding mentions"``, ``"comparing"``), how much of it is done, and how much there is.

        Raises
        ------
        InputError
            If a given mention has no kind, or annotated topics are asked for and documents have none.
        """
        options = options or PredictionOptions()
        corpus = texts if isinstance(texts, Corpus) else _corpus(texts)
        groups = group_documents(corpus.documents, options.topics)
        find_mentions = options.find_mentions or not corpus.mentions
        notes = () if find_mentions else _notes_on_documents_without_mentions(corpus)
        results = self._open(cache)
        try:
            if find_mentions:
                corpus = self._find_mentions(corpus, options, results, progress)
            if options.kind != "both":
                mentions = (m if m.kind else replace(m, kind=options.kind) for m in corpus.mentions)
                corpus = replace(corpus, mentions=tuple(mentions)).of_kind(options.kind)
            prediction = self._link(corpus, groups, options, results, announce, progress)
            return replace(prediction, notes=(*notes, *prediction.notes))
        finally:
            if results is not None:
                results.close()

    def _open(self, cache: str | Path | None) -> ResultCache | None:
        if cache is None:
            return None
        from cdcoref.engines import ResultCache

        return ResultCache(cache, model_fingerprint(self.model))

    def _find_mentions(
        self, corpus: Corpus, options: PredictionOptions, cache: ResultCache | None, progress: Progress
    ) -> Corpus:
        from cdcoref.engines import document_hash
        from cdcoref.linking import find_mentions

        found: list[Mention] = []
        keys = {d.id: cache.key("mentions", document_hash(d)) for d in corpus.documents} if cache else {}
        todo = []
        for document in corpus.documents:
            kept = cache.get(keys[document.id]) if cache else None
            if kept is None:
                todo.append(document)
            else:
                found += [_unpacked(row, document.id) for row in kept]
        total = sum(len(d.tokens) for d in todo)
        done = 0
        for chunk in _chunks(todo, 50_000):
            mentions = find_mentions(self.model, Corpus(tuple(chunk)), batch_tokens=options.batch_tokens).by_document()
            if cache is not None:
                cache.put({keys[d.id]: np.array([_packed(m) for m in mentions[d.id]]).reshape(-1, 4) for d in chunk})
            found += [m for d in chunk for m in mentions[d.id]]
            done += sum(len(d.tokens) for d in chunk)
            progress("finding mentions", done, total)
        order = {d.id: number for number, d in enumerate(corpus.documents)}
        return replace(corpus, mentions=tuple(sorted(found, key=lambda m: (order[m.document], m.tokens))))

    def _link(
        self,
        corpus: Corpus,
        groups: Sequence[Sequence[str]],
        options: PredictionOptions,
        cache: ResultCache | None,
        announce: Announce | None,
        progress: Progress,
    ) -> Prediction:
        shown = tuple(tuple(group) for group in groups)
        if self.lemma:
            from cdcoref.linking import lemma_clusters

            plan = Plan(len(corpus.documents), len(corpus.mentions), len(groups), 0, 0, 0, 0.0)
            return Prediction(lemma_clusters(corpus, groups), shown, plan)
        from cdcoref.linking import Comparison

        pairs, pruned = _document_pairs(corpus.documents, groups, options.max_pairs)
        comparison = Comparison(self.model, corpus, pairs, max_windows=options.max_pairs)
        sequences, pieces = comparison.size()
        seconds = pieces / pieces_per_second(self.model) if pieces > 50_000 else 0.0
        plan = Plan(len(corpus.documents), len(corpus.mentions), len(groups), len(pairs), pruned, sequences, seconds)
        if announce is not None:
            announce(plan)
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            progress("comparing", done, sequences)

        logits = comparison.run(batch_tokens=options.batch_tokens, cache=cache, advance=advance)
        settings = self.model.settings
        if options.threshold is not None:
            settings = replace(settings, distance_threshold=dict.fromkeys(KINDS, 1.0 - options.threshold))
        return Prediction(cluster_mentions(corpus, logits, settings), shown, plan, tuple(comparison.notes))


def load(model: str | Path = "default", *, device: str | None = None, precision: Precision = "auto") -> Predictor:
    """Read a model for prediction.

    Parameters
    ----------
    model
        ``"default"`` for the one that comes with the package, the folder of another, or ``"lemma"`` for the baseline
        that links mentions of the same head lemma.
    device
        ``"cpu"``, ``"cuda"``, ...; by default CUDA where there is one.
    precision
        In what the encoder's products are computed: ``"fp32"``; ``"bf16"``, which takes less time where the processor
        has instructions for it; ``"int8"``, on CPUs, which is a little less precise; or ``"auto"``: bf16 where the
        processor has the instructions, else fp32.

    Raises
    ------
    InputError
        If there is no such model, device or precision.
    """
    if precision not in get_args(Precision):
        raise InputError(f"the precision {precision!r} is not known; known are {', '.join(get_args(Precision))}")
    import torch

    from cdcoref.model import CorefModel

    name = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        place = torch.device(name)
        torch.empty(0, device=place)
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"the device {name!r} cannot be used here; --device cpu always can") from error
    loaded = CorefModel.from_pretrained("default" if model == LEMMA else model)
    if precision == "bf16" or (precision == "auto" and multiplies_bf16(place)):
        loaded.inference_dtype = torch.bfloat16
    elif precision == "int8":
        if place.type != "cpu":
            raise InputError("the precision int8 is for CPUs; choose bf16 or fp32")
        loaded.encoder.compute_in_int8()
    return Predictor(loaded.to(place), lemma=model == LEMMA)


def multiplies_bf16(device: torch.device) -> bool:
    """Whether a device has instructions for products in bf16; False where that cannot be told."""
    import torch

    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu" or not hasattr(torch.cpu, "get_capabilities"):  # PyTorch below 2.10
        return False
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16"))


def cluster_mentions(corpus: Corpus, logits: PairLogits, settings: CorefConfig) -> Corpus:
    """Cluster the mentions of every kind; each gets the name of its cluster and its confidence.

    Ties are settled by the mentions' places and the documents' ids, so the order of the documents does not matter.
    """
    keys = [(m.document, m.tokens, m.kind or "") for m in corpus.mentions]
    mentions = list(corpus.mentions)
    for kind in KINDS:
        scores = logits.scores(settings.temperature, kind)
        labels = agglomerative(scores, settings.distance_threshold[kind], settings.linkage, keys)
        sizes = np.bincount(labels, minlength=1)
        together = labels[scores.first] == labels[scores.second]
        sums = np.zeros(len(mentions))
        for side in (scores.first, scores.second):
            np.add.at(sums, side[together], scores.score[together])
        for number, mention in enumerate(corpus.mentions):
            if mention.kind == kind:
                size = int(sizes[labels[number]])
                confidence = float(sums[number] / (size - 1)) if size > 1 else mention.confidence
                mentions[number] = replace(mention, cluster=f"{kind}_{labels[number]}", confidence=confidence)
    return replace(corpus, mentions=tuple(mentions))


def model_fingerprint(model: CorefModel) -> str:
    """A hash of a model's weights and of what decides its logits and mentions."""
    digest = hashlib.sha256(json.dumps(model.settings.to_dict(), sort_keys=True).encode())
    digest.update(str(model.inference_dtype).encode())
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def pieces_per_second(model: CorefModel) -> float:
    """How many word pieces the encoder reads in a second here, measured on a made-up batch."""
    import torch

    length = min(256, model.settings.max_length)
    ids = torch.full((8, length), 5, device=model.device)
    marked = (torch.arange(length, device=model.device) % 3 == 0).long().expand(8, -1)
    best = float("inf")
    with model.inference():
        for _ in range(3):
            started = time.perf_counter()
            model.encoder(ids, torch.ones_like(ids), marked).last_hidden_state.sum().item()
            best = min(best, time.perf_counter() - started)
    return ids.numel() / best


def _document_pairs(
    documents: Sequence[Document], groups: Sequence[Sequence[str]], max_pairs: int | None
) -> tuple[list[tuple[str, str]], int]:
    """Pairs of documents to compare, and how many of the groups' pairs are left out."""
    from cdcoref.linking import all_pairs

    pairs: list[tuple[str, str]] = []
    pruned = 0
    for group in groups:
        if max_pairs is not None and len(group) > max_pairs + 1:
            nearest, left_out = nearest_pairs(documents, group, max_pairs)
            pairs += nearest
            pruned += left_out
        else:
            pairs += all_pairs([group])
    return pairs, pruned


def _notes_on_documents_without_mentions(corpus: Corpus) -> tuple[str, ...]:
    """What to say where some documents come with mentions and others do not."""
    without = [name for name, mentions in corpus.by_document().items() if not mentions]
    if not without:
        return ()
    return (
        f"{len(without)} documents came without mentions ({without[0]} is one) and none were looked for in them, since "
        "others came with some; --find-mentions looks for them in all",
    )


def _corpus(texts: Mapping[str, str] | Sequence[str]) -> Corpus:
    if isinstance(texts, str):
        raise InputError("give a list of texts, not one text: coreference across documents needs several")
    named = texts if isinstance(texts, Mapping) else {str(n): text for n, text in enumerate(texts, start=1)}
    return Corpus(tuple(tokenise_text(text, name) for name, text in named.items()))


def _chunks(documents: Sequence[Document], tokens: int) -> list[list[Document]]:
    """Split into lists of about so many tokens, so that progress is seen and kept now and then."""
    chunks: list[list[Document]] = []
    size = tokens
    for document in documents:
        if size >= tokens:
            chunks.append([])
            size = 0
        chunks[-1].append(document)
        size += len(document.tokens)
    return chunks


def _packed(mention: Mention) -> list[float]:
    return [mention.start, mention.end, KINDS.index(mention.kind or ""), mention.confidence or 0.0]


def _unpacked(row: np.ndarray, document: str) -> Mention:
    start, end, kind, confidence = row
    return Mention(document, tuple(range(int(start), int(end))), KINDS[int(kind)], confidence=float(confidence))
