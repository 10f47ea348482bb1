"""What a collection asks of a model: what is read of a document, and how the mentions of a story compare."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cdcoref import linking, predict
from cdcoref.collection.documents import Incoming
from cdcoref.collection.settings import Settings
from cdcoref.collection.stored_readings import DocumentPair, DocumentScores, by_document_pair
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.facts import with_parses
from cdcoref.predict import Predictor, Progress, summed
from cdcoref.reading import MentionVectors, Reading, Readings

GivenPredictor = Predictor | Callable[[], Predictor] | None
"""A model, or what loads it when it is first needed; None: the collection's own is loaded then."""


class Reader:
    """Reads documents for a collection with the given settings; see `GivenPredictor`.

    `batch_tokens` are the word pieces that the encoder reads at once. `settings` get the model's fingerprint and
    configuration once it has read something. Every method raises `InputError` if the model is not the collection's.
    """

    def __init__(self, settings: Settings, predictor: GivenPredictor, batch_tokens: int) -> None:
        self.settings = settings
        self.batch_tokens = batch_tokens
        self._given = predictor
        self._ready: Predictor | None = None
        if isinstance(predictor, Predictor):
            self._check_lemma(predictor)
        elif not (predictor is None or callable(predictor)):
            raise InputError(f"predictor must be what cdcoref.load() returns, or a function, not {predictor!r}")

    @property
    def has_vectors(self) -> bool:
        """Whether the model compares mentions by vectors, too."""
        return not self.settings.lemma and self._predictor().model.vector_scorer is not None

    def read(self, incoming: Sequence[Incoming], progress: Progress) -> dict[str, Reading]:
        """The readings of documents by id; mentions of the kind that is linked are found where none were given."""
        to_find = with_parses([one.document for one in incoming if one.mentions is None])
        readings: dict[str, Reading] = {}
        if to_find:
            advance = summed(progress, "finding mentions", sum(len(document.tokens) for document in to_find))
            model, kinds = self._predictor().model, self.settings.options.kind
            for whole in linking.read(model, to_find, batch_tokens=self.batch_tokens, advance=advance):
                of_kind = [number for number, mention in enumerate(whole.mentions) if kinds in ("both", mention.kind)]
                of_document = None if whole.vectors is None or self.settings.lemma else whole.vectors.take(of_kind)
                mentions = [whole.mentions[number] for number in of_kind]
                readings[whole.document.id] = Reading(whole.document, mentions, of_document)
        given = [one for one in incoming if one.mentions is not None]
        documents = tuple(with_parses([one.document for one in given]))
        corpus = Corpus(documents, tuple(m for one in given for m in one.mentions or ()))
        if (kind := self.settings.options.kind) != "both":  # a mention without a kind gets it
            corpus = corpus.with_kind(kind).of_kind(kind)
            corpus = replace(corpus, mentions=tuple({mention.key: mention for mention in corpus.mentions}.values()))
        vectors = None
        if corpus.mentions and self.has_vectors:
            vectors = linking.read_vectors(self._predictor().model, corpus, batch_tokens=self.batch_tokens)
        for document, numbers in zip(corpus.documents, corpus.mention_numbers().values(), strict=True):
            of_document = vectors.take(numbers).compact() if vectors is not None and numbers else None
            readings[document.id] = Reading(document, [corpus.mentions[n] for n in numbers], of_document)
        return readings

    def compare(
        self,
        readings: Sequence[Reading],
        pairs: Sequence[DocumentPair] | None,
        known: Mapping[str, int],
        advance: Callable[[float], None],
    ) -> tuple[dict[DocumentPair, DocumentScores], list[str]]:
        """Compare the documents of a story: by their vectors, if the model has them, and read together."""
        with_some = [reading for reading in readings if len(reading.mentions)]
        if self.settings.lemma or not with_some:
            return {}, []
        corpus = Corpus(tuple(r.document for r in readings), tuple(m for r in readings for m in r.mentions))
        vectors = [reading.vectors for reading in with_some if reading.vectors is not None]
        comparison = linking.Comparison(
            self._predictor().model,
            Readings(corpus, MentionVectors.joined(vectors) if self.has_vectors else None),
            pairs,
            known=known,
        )
        logits = comparison.run(batch_tokens=self.batch_tokens, advance=advance)
        return by_document_pair(corpus, logits), list(comparison.notes)

    def _check_lemma(self, predictor: Predictor) -> None:
        if predictor.lemma != self.settings.lemma:
            own = "the lemma baseline" if self.settings.lemma else f"the model {self.settings.model}"
            raise InputError(
                f"the collection was made with {own}; use that model, or rebuild the collection with another one"
            )

    def _predictor(self) -> Predictor:
        if self._ready is None:
            predictor = predict.load(self.settings.model) if self._given is None else self._given
            if not isinstance(predictor, Predictor):
                predictor = predictor()
                self._check_lemma(predictor)
            fingerprint = predictor.fingerprint
            if self.settings.fingerprint not in (None, fingerprint):
                raise InputError(
                    "the collection was made with another model; use that one, or rebuild the collection with this one"
                )
            clustering = None if self.settings.lemma else predictor.model.settings.to_dict()
            self.settings = replace(self.settings, fingerprint=fingerprint, clustering=clustering)
            self._ready = predictor
        return self._ready
