"""Prediction from start to finish, for texts or a corpus: group documents, detect, compare and cluster mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy.sparse import csr_array

from cdcoref import linking
from cdcoref import model as models
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError, check_path
from cdcoref.language import remarks_on_language
from cdcoref.predict.given_texts import GivenText, corpus_of_texts
from cdcoref.predict.prediction import Plan, Prediction, PredictionOptions, Progress, Story, Topics
from cdcoref.reading import Readings
from cdcoref.reports import ScoredPair
from cdcoref.stories import (
    DocumentVectors,
    boilerplate_lines,
    group_documents,
    identical_documents,
    near_duplicates,
    nearest_to,
    of_two_happenings,
    subjects,
    without_boilerplate,
)
from cdlm.devices import resolve_precision
from cdlm.printing import counted
from cdlm.shipped_models import DEFAULT

if TYPE_CHECKING:
    import torch

    from cdcoref.predict.engines.cache import ResultCache
    from cdcoref.predict.engines.local import LocalEngine
    from cdcoref.predict.engines.ray import RayEngine

Precision = Literal["auto", "fp32", "bf16", "int8"]
LARGER_THAN_STORIES: tuple[Topics, ...] = ("gold_topic", "none")
"""Groups in which pairs across predicted stories are scored differently."""
LEMMA = "lemma"
_MOST_CHECKED = 20
"""Documents among which pairs that report two happenings are left out; more documents tie them together anyway."""
Announce = Callable[[Plan], None]
"""Called with the plan before the long part of the work begins."""
_WITH_COPIES: tuple[Topics, ...] = ("predicted", "none")
"""Groups in which a copy is always together with its original."""


class Predictor:
    """A model that is ready to predict, created by :func:`load`; the lemma baseline only detects mentions with it."""

    _hashed: tuple[Any, str] | None = None  # the settings and precision of the model, and its hash for caches

    def __init__(
        self, model: models.CorefModel, *, lemma: bool = False, exact: Callable[[], models.CorefModel] | None = None
    ) -> None:
        self.model = model
        self.lemma = lemma
        self._exact = exact
        self._fingerprint: str | None = None

    def __repr__(self) -> str:
        size = self.model.parameter_count
        model = f"{size:,} parameters on {self.model.device}"
        return f"<Predictor: {f'lemma baseline, mentions found by {model}' if self.lemma else model}>"

    @property
    def fingerprint(self) -> str:
        """A hash of the model when it is first asked for, the same in every precision: one in 8 bits is read again."""
        if self._fingerprint is None:
            exact = self.model if self._exact is None else self._exact()
            self._fingerprint = models.model_fingerprint(exact, with_precision=False)
        return self._fingerprint

    def predict(
        self,
        texts: Corpus | Mapping[str, GivenText] | Iterable[GivenText],
        options: PredictionOptions | None = None,
        *,
        cache: str | Path | None = None,
        announce: Announce | None = None,
        progress: Progress = lambda stage, done, total: None,
        **settings: Any,
    ) -> Prediction:
        """Find mentions, and link those that corefer across all documents.

        `texts`: See :data:`cdcoref.predict.GivenText`. Annotated mentions of a corpus are used (those without a kind
            are of `options.kind`); otherwise mentions are detected.
        `options`, `settings`: See :class:`PredictionOptions`; also by name: ``predict(texts, kind="event")``.
        `cache`: Folder for intermediate results, from which an interrupted run resumes.
        `announce`: Called with the plan. `progress`: Called with a stage, the amount done, and the total.

        An `InputError` names the option, the text or the mention that is wrong.
        """
        options = PredictionOptions.with_settings(options, settings)
        if not callable(progress):
            raise InputError(f"progress must be a function that takes a stage, an amount and a total, not {progress!r}")
        if announce is not None and not callable(announce):
            raise InputError(f"announce must be a function that takes a plan, not {announce!r}")
        if cache is not None:
            check_path("the cache", cache)
        corpus = texts if isinstance(texts, Corpus) else corpus_of_texts(texts)
        plans: list[Plan] = []

        def note(plan: Plan) -> None:
            plans.append(plan)
            if announce is not None:
                announce(plan)

        subjects = self.stream_subjects(corpus, options, cache=cache, announce=note, progress=progress)
        linked = [story for subject in subjects for story in subject]
        together = joined_stories(linked, {document.id: number for number, document in enumerate(corpus.documents)})
        return Prediction(
            replace(together.corpus, notes=corpus.notes),
            tuple(
                tuple(d.id for d in story.corpus.documents)
                for story in linked
                if any(d.tokens for d in story.corpus.documents)
            ),
            plans[0],
            sum(story.sequences for story in linked),
            notes=tuple(note for story in linked for note in story.notes),
            pairs=tuple(
                ScoredPair(story.corpus.mentions[one], story.corpus.mentions[other], probability, antecedent)
                for story in linked
                for one, other, probability, antecedent in story.pairs or ()
            )
            if options.pairs
            else None,
            readings=together,
        )

    def stream_subjects(
        self,
        corpus: Corpus,
        options: PredictionOptions | None = None,
        *,
        cache: str | Path | None = None,
        announce: Announce | None = None,
        progress: Progress = lambda stage, done, total: None,
        **settings: Any,
    ) -> Iterator[list[linking.LinkedStory]]:
        """As :meth:`predict`, but the stories about one subject after the other; one subject is in memory at a time.

        No cluster has mentions in two subjects. Documents without words are no story; they come last, together. The
        label of a cluster depends on all of them (see :func:`joined_stories`).
        """
        options = PredictionOptions.with_settings(options, settings)
        find = bool(options.find_mentions) or not corpus.mentions
        given: dict[str, list[Mention]] = {}
        if find:
            self.model.required_detector()
        elif corpus.texts:
            # Mentions are detected in documents that come from files without annotation.
            texts = corpus.subset(document.id for document in corpus.documents if document.id in corpus.texts)
            detected = linking.find_mentions(self.model, texts, batch_tokens=options.batch_tokens)
            corpus = replace(corpus, mentions=(*corpus.mentions, *detected.of_kind(options.kind).mentions))
        if options.find_mentions in KINDS:
            kept = tuple(m for m in corpus.mentions if m.kind not in (None, options.find_mentions))
            given = {id: own for id, own in replace(corpus, mentions=kept).by_document().items() if own}
        notes = remarks_on_language(corpus.documents)
        if not find:
            corpus, repeated = _each_once(corpus, None if options.kind == "both" else options.kind)
            notes += repeated
            with_some = {mention.document for mention in corpus.mentions}
            notes += note_on_unannotated([d.id for d in corpus.documents if d.id not in with_some])
        store_of = nullcontext() if cache is None or (self.lemma and not find) else self._opened(cache)
        with store_of as store, self._engine(options, find, given, store) as engine:
            lines = boilerplate_lines(corpus.documents)
            with_copies = options.topics in _WITH_COPIES
            repeats = identical_documents(corpus.documents) if find and not given and with_copies else {}
            distinct = replace(corpus, documents=tuple(d for d in corpus.documents if d.id not in repeats))
            original_of = near_duplicates(distinct.documents, boilerplate=lines) if with_copies else {}
            read = distinct
            if find:
                read = replace(distinct, documents=tuple(without_boilerplate(d, lines) for d in distinct.documents))
            plan, by_subject = self._plan(DocumentVectors(distinct.documents, original_of, lines), options)
            plan = replace(plan, documents=len(corpus.documents), copies=plan.copies + len(repeats))
            if announce is not None:
                announce(plan)
            results = engine.run(read, [story for subject in by_subject for story in subject], progress)
            original_of |= {id: original_of.get(first, first) for id, first in repeats.items()}
            shown: dict[str, list[Document]] = {}
            for document in corpus.documents:
                copy = replace(document, copy_of=original_of.get(document.id))
                shown.setdefault(repeats.get(document.id, document.id), []).append(copy)
            for subject in by_subject:
                linked = list(islice(results, len(subject)))
                joined = linking.joined_by_name([one.readings for one in linked])
                found = []
                for story, own in zip(linked, joined, strict=True):
                    whole = _with_repeats(own, shown)
                    known = {d.id: story.readings[repeats.get(d.id, d.id)] for d in whole.documents}
                    found.append(replace(story, readings=Readings(whole, None, known), notes=(*notes, *story.notes)))
                    for document in story.corpus.documents:
                        story.readings[document.id].forget()
                    notes = ()
                yield found
        linked_ids = {name for subject in by_subject for story in subject for name in story.documents}
        if without_words := [d.id for d in distinct.documents if d.id not in linked_ids]:
            yield [linking.LinkedStory(Readings(corpus.subset(without_words)), notes=notes)]

    @contextmanager
    def _opened(self, cache: str | Path) -> Iterator[ResultCache]:
        from cdcoref.predict.engines.cache import ResultCache

        now = self.model.settings, self.model.inference_dtype
        if self._hashed is None or self._hashed[0] != now:
            self._hashed = now, models.model_fingerprint(self.model)
        store = ResultCache(cache, self._hashed[1])
        try:
            yield store
        finally:
            store.close()

    def _engine(
        self, options: PredictionOptions, find: bool, given: Mapping[str, Sequence[Mention]], store: ResultCache | None
    ) -> AbstractContextManager[LocalEngine | RayEngine]:
        from cdcoref.predict.engines.local import LocalEngine, Task

        kinds = KINDS if isinstance(options.find_mentions, bool) else (options.find_mentions,)
        task = Task(options, options.kind, find, self.lemma, kinds, given)
        if options.engine == "ray":
            from cdcoref.predict.engines.ray import RayEngine

            return RayEngine(self.model, task, store, address=options.ray_address)
        return nullcontext(LocalEngine(None if self.lemma and not find else self.model, task, store))

    def _plan(self, vectors: DocumentVectors, options: PredictionOptions) -> tuple[Plan, list[list[Story]]]:
        """The plan, and the stories with their pairs of documents, by subject; each its own if none crosses."""
        groups = group_documents(vectors, options.topics)
        max_pairs = None if self.lemma else options.max_pairs
        stories, pruned = plan_stories(vectors, groups, max_pairs, larger=options.topics in LARGER_THAN_STORIES)
        empty = {document.id for document in vectors.documents if not document.tokens}
        stories = [story for story in stories if not empty.issuperset(story.documents)]
        largest = max((len(story.documents) for story in stories), default=0)
        count = 0 if self.lemma else sum(story.pair_count() for story in stories)
        copies = len(vectors.original_of)
        plan = Plan(len(vectors.documents), len(stories), largest, count, pruned, len(empty), copies)
        by_name = not self.lemma and self.model.settings.names_across_stories
        if options.topics != "predicted" or not by_name:
            return plan, [[story] for story in stories]
        found: dict[int, list[Story]] = {}
        for story, number in zip(stories, subjects(vectors, [story.documents for story in stories]), strict=True):
            found.setdefault(number, []).append(story)
        return plan, list(found.values())


class _LemmaBaseline(Predictor):
    """The lemma baseline, which reads a model when mentions must first be found."""

    def __init__(self, read: Callable[[], Predictor]) -> None:
        self.lemma = True
        self._read = read

    def __repr__(self) -> str:
        return "<Predictor: lemma baseline>"

    @cached_property
    def _finder(self) -> Predictor:
        return self._read()

    @cached_property
    def model(self) -> models.CorefModel:  # type: ignore[override]
        """The model that finds mentions."""
        return self._finder.model

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model that finds mentions."""
        return self._finder.fingerprint


def joined_stories(stories: Iterable[linking.LinkedStory], order: Mapping[str, int]) -> Readings:
    """The documents and mentions of stories together, in the order of the documents; `order` has the place of each."""
    known = list(stories)
    documents = [document for story in known for document in story.corpus.documents]
    mentions = [mention for story in known for mention in story.corpus.mentions]
    corpus = Corpus(
        tuple(sorted(documents, key=lambda document: order[document.id])),
        tuple(sorted(mentions, key=lambda mention: order[mention.document])),
    )
    return Readings(corpus, None, {d.id: story.readings[d.id] for story in known for d in story.corpus.documents})


def plan_stories(
    vectors: DocumentVectors, groups: Iterable[Sequence[str]], max_pairs: int | None, *, larger: bool = False
) -> tuple[list[Story], int]:
    """Groups with the pairs to compare, and how many `max_pairs` leaves out; `larger` ones may have several stories."""
    stories = []
    pruned = 0
    by_words = group_documents(vectors) if larger else []
    story_of = {name: number for number, group in enumerate(by_words) for name in group}
    for group in groups:
        pairs = None
        if max_pairs is not None and len(group) > max_pairs + 1:
            place = {id: number for number, id in enumerate(group)}
            ids = sorted(group)
            rows = csr_array(vectors.matrix[[vectors.row[id] for id in ids]])
            near = ((place[ids[a]], place[ids[b]]) for a, b in nearest_to(rows, np.arange(len(ids)), max_pairs))
            pairs = tuple((group[min(pair)], group[max(pair)]) for pair in sorted(near, key=sorted))
            pruned += len(group) * (len(group) - 1) // 2 - len(pairs)
        elif larger and len(group) <= _MOST_CHECKED:
            apart = of_two_happenings([document for document in vectors.documents if document.id in group])
            if apart:
                pairs = tuple(pair for pair in combinations(group, 2) if frozenset(pair) not in apart)
        own = tuple(story_of[name] for name in group) if story_of else None
        stories.append(Story(tuple(group), pairs, own))
    return stories, pruned


def load(
    model: str | Path = "default", *, device: str | None = None, precision: Precision = "auto", style: str | None = None
) -> Predictor:
    """Read a model for prediction.

    `model`: ``"default"``, a folder, ``organisation/model`` for one on the Hugging Face hub, or ``"lemma"`` for the
        baseline, which reads the default model only to detect mentions or to check `device` or `style`.
    `device`: ``"cpu"``, ``"cuda"``, ...; by default a GPU if there is one.
    `precision`: Of the encoder: ``"fp32"``, ``"bf16"``, ``"int8"`` (on CPUs), or ``"auto"``: int8 if the heads were
        fitted in it and the processor has VNNI without AMX, else bf16 if it supports that, else fp32.
    `style`: What counts as a mention, one of :data:`cdcoref.corpus.STYLES`; by default the one that the model has in
        use.
    """
    if not isinstance(model, str | Path) or not str(model):
        raise InputError(f"the model must be a name or a folder, not {model!r}")
    if precision not in get_args(Precision):
        raise InputError(f"unknown precision {precision!r}; choose from {', '.join(get_args(Precision))}")
    if model != LEMMA:
        return _loaded(model, device, precision, style)
    read = partial(_loaded, DEFAULT, device, precision, style)
    if device is None and style is None:
        return _LemmaBaseline(read)
    checked = read()
    return _LemmaBaseline(lambda: checked)


def _loaded(model: str | Path, device: str | None, precision: Precision, style: str | None) -> Predictor:
    import torch

    place = check_device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    folder = models.find_model(model, LEMMA)

    def read() -> models.CorefModel:
        loaded = models.CorefModel.from_pretrained(folder)
        if style is not None:
            loaded.settings = loaded.settings.in_style(style)
        return loaded

    loaded = read()
    resolved = resolve_precision(precision, place, int8=loaded.settings.fitted_in_int8)
    if resolved == "bf16":
        loaded.inference_dtype = torch.bfloat16
    elif resolved == "int8":
        if place.type != "cpu":
            raise InputError("int8 precision is for CPUs only; choose bf16 or fp32")
        loaded.compute_in_int8()
        return Predictor(loaded, exact=read)
    return Predictor(loaded.to(place))


def check_device(name: str) -> torch.device:
    """The device of a name, such as ``"cpu"`` or ``"cuda:1"``; an `InputError` if it is not available here."""
    import torch

    try:
        device = torch.device(name)
        torch.empty(1, device=device).item()  # the device "meta" has no values
    except (RuntimeError, AssertionError) as error:
        raise InputError(f"the device {name!r} is not available here; choose 'cpu', which always is") from error
    return device


def _with_repeats(story: Corpus, shown: Mapping[str, Sequence[Document]]) -> Corpus:
    """A story with all documents that `shown` has for each of its own, and the same mentions in each of them."""
    mentions = story.by_document()
    documents = tuple(document for own in story.documents for document in shown[own.id])
    repeated = (
        replace(mention, document=document.id)
        for own in story.documents
        for document in shown[own.id]
        if document.id != own.id
        for mention in mentions[own.id]
    )
    return replace(story, documents=documents, mentions=(*story.mentions, *repeated))


def _each_once(corpus: Corpus, kind: str | None) -> tuple[Corpus, tuple[str, ...]]:
    """The corpus without repeated mentions, those without a kind being of `kind`; a note if there were any."""
    once: dict[object, Mention] = {}
    for mention in corpus.mentions:
        once.setdefault((mention.document, mention.tokens, mention.kind or kind), mention)
    repeated = len(corpus.mentions) - len(once)
    if not repeated:
        return corpus, ()
    note = f"{counted(repeated, 'mention')} given more than once; each is linked once"
    return replace(corpus, mentions=tuple(once.values())), (note,)


def note_on_unannotated(without: Sequence[str]) -> tuple[str, ...]:
    """A note on documents without mentions, by id, beside others that have annotated ones; none if there are none."""
    if not without:
        return ()
    return (
        f"no mentions were detected in {counted(len(without), 'document')} without annotation, such as {without[0]}, "
        "since others have annotated mentions; give such files by themselves, or use `predict --find-mentions`",
    )
