"""Corpora with everything that formats have to keep, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention

KINDS = (None, "event", "entity")
Texts = st.SearchStrategy[str]


@st.composite
def corpora(
    draw: st.DrawFn, words: Texts, names: Texts, clusters: Texts, *, empty: bool = True, gaps: bool = True
) -> Corpus:
    """Documents with mentions that nest, cross and repeat, and that have gaps; `empty`: some have no words."""
    documents, mentions = [], []
    optional = st.none() | names
    plain = names | st.integers(-9, 9) | st.booleans()
    for id in draw(st.lists(names, max_size=3, unique=True)):
        sentences = draw(st.lists(st.lists(words, min_size=1, max_size=5), min_size=not empty, max_size=3))
        some = st.frozensets(st.sampled_from(range(len(sentences)))) if sentences else st.just(frozenset[int]())
        annotated = draw(st.none() | some)
        metadata = draw(st.dictionaries(names, plain, max_size=2))
        document = Document.from_sentences(
            id, sentences, topic=draw(optional), subtopic=draw(optional), part=draw(st.sampled_from(["0", "1", "12"])),
            path=draw(optional), hidden=draw(some), metadata=metadata,
            annotated=None if annotated is None or len(annotated) == len(sentences) else annotated,
            found=frozenset(list(metadata)[: draw(st.integers(0, 1))]),
        )  # fmt: skip
        documents.append(document)
        places = st.sets(st.integers(0, len(document.tokens) - 1), min_size=1)
        for _ in range(draw(st.integers(0, 6)) if document.tokens else 0):
            tokens = sorted(draw(places))
            tokens = tokens if gaps else list(range(tokens[0], tokens[-1] + 1))
            confidence = draw(st.none() | st.floats(0, 1))
            named = (draw(st.sampled_from(KINDS)), draw(st.none() | clusters), draw(optional), draw(optional))
            mentions.append(Mention(id, tuple(tokens), *named, confidence))
    return Corpus(tuple(documents), tuple(mentions))
