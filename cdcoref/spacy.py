"""spaCy Docs in, the same Docs with clusters out: mentions are in ``doc.spans["event"]`` and ``doc.spans["entity"]``,
the name of a mention's cluster is ``span._.cluster``. In a pipeline: ``nlp.add_pipe("cdcoref")``."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import minibatch

from cdcoref import predict
from cdcoref.corpus import ENTITY, EVENT, KINDS, Corpus
from cdcoref.errors import InputError
from cdcoref.formats import annotate, checked_docs, corpus_of, docs_of, named_entities, read_docbin, write_docbin
from cdcoref.predict import Plan, Prediction, PredictionOptions, Predictor

__all__ = ["Linker", "annotate", "corpus_of", "docs_of", "link", "read_docbin", "write_docbin"]

if not Span.has_extension("cluster"):
    Span.set_extension("cluster", getter=lambda span: span.kb_id_ or None)


def link(
    docs: Iterable[Doc],
    model: str | Path | Predictor = "default",
    options: PredictionOptions | None = None,
    *,
    entities: bool = False,
    **settings: Any,
) -> Prediction:
    """Find coreferent mentions across several Docs, and add them to the Docs; returns the same as a prediction.

    The span groups ``"event"`` and ``"entity"`` are replaced. `model`: A name or folder for :func:`cdcoref.load`, or a
    predictor. With `entities`, the named entities of the Docs are the entity mentions. Options also by name:
    ``link(docs, kind="event")``. An `InputError` names what is wrong.
    """
    docs = checked_docs(docs)
    options = PredictionOptions.with_settings(options, settings)
    if model in (*KINDS, "both") and not Path(str(model)).is_dir():
        raise InputError(f"the model is {model!r}; pass kind={model!r}")
    predictor = _loaded(model) if isinstance(model, str | Path) else model
    if not hasattr(predictor, "predict"):
        raise InputError(f"the model must be a name, a folder, or what cdcoref.load() returns, not {model!r}")
    prediction = _predicted(docs, corpus_of(docs), predictor, options, entities)
    annotate(docs, prediction.corpus)
    return prediction


class Linker:
    """The pipeline component ``"cdcoref"``: mentions of a Doc and the clusters within it.

    Clusters are merged while the probability that their mentions corefer is above the `threshold`; None: the model's
    own. With `entities`, the named entities that an earlier component found are the entity mentions.
    """

    def __init__(
        self, model: str, kind: Literal["event", "entity", "both"], threshold: float | None, entities: bool
    ) -> None:
        self._predictor = _loaded(model)
        # Every Doc is a topic of its own: Docs are read together but linked separately.
        self._options = PredictionOptions(kind, "gold_topic", threshold=threshold)
        self._entities = entities

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one Doc."""
        self._link([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Annotate Docs, `batch_size` at a time."""
        for docs in minibatch(stream, batch_size):
            self._link(docs)
            yield from docs

    def _link(self, docs: Sequence[Doc]) -> None:
        documents = [document for doc in docs for document in corpus_of([doc]).documents]
        corpus = Corpus(tuple(replace(d, id=str(n), topic=str(n)) for n, d in enumerate(documents)))
        linked = _predicted(docs, corpus, self._predictor, self._options, self._entities).corpus
        # A Doc's clusters have the same names whichever Docs were read with it.
        names: dict[str, dict[tuple[str | None, str | None], str]] = {document.id: {} for document in corpus.documents}
        mentions = []
        for mention in sorted(linked.mentions, key=lambda m: m.tokens):
            of_doc = names[mention.document]
            name = of_doc.setdefault((mention.kind, mention.cluster), f"{mention.kind}_{len(of_doc)}")
            mentions.append(replace(mention, cluster=name))
        annotate(docs, replace(linked, mentions=tuple(mentions)))


@Language.factory(
    "cdcoref",
    assigns=["doc.spans", "span._.cluster"],
    default_config={"model": "default", "kind": "both", "threshold": None, "entities": False},
)
def make_linker(
    nlp: Language,
    name: str,
    model: str,
    kind: Literal["event", "entity", "both"],
    threshold: float | None,
    entities: bool,
) -> Linker:
    """Called by ``nlp.add_pipe("cdcoref", config={...})``; see :class:`Linker`."""
    return Linker(model, kind, threshold, entities)


@lru_cache(maxsize=1)
def _loaded(model: str | Path) -> Predictor:
    return predict.load(model)


def _predicted(
    docs: Sequence[Doc], corpus: Corpus, predictor: Predictor, options: PredictionOptions, entities: bool
) -> Prediction:
    if entities:
        if options.find_mentions:
            raise InputError("entities takes the entities of the Docs, and find_mentions ignores them; choose one")
        mentions = named_entities(docs, corpus) if options.kind != EVENT else ()
        if options.kind == ENTITY and not mentions:  # the predictor would detect some
            alone = tuple((document.id,) for document in corpus.documents)
            return Prediction(corpus, alone, Plan(len(alone), len(alone), min(1, len(alone)), 0, 0))
        corpus = replace(corpus, mentions=mentions)
        options = replace(options, find_mentions="event" if options.kind != ENTITY else False)
    return predictor.predict(corpus, options)
