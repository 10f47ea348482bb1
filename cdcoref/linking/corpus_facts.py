"""What words alone state of the mentions of a corpus: documents and mentions in, facts and which are pronouns out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpus import Corpus
from cdcoref.language import MentionFacts, MentionWords, in_sentence_case, mention_facts, quotations


def facts_of_mentions(corpus: Corpus) -> list[MentionFacts]:
    """What the features see of every mention of a corpus, in order."""
    documents = {document.id: in_sentence_case(document) for document in corpus.documents}
    sentence_of = {document.id: document.sentence_of_tokens() for document in corpus.documents}
    quoted = {document.id: quotations(document) for document in corpus.documents}
    return [
        mention_facts(documents[m.document], m, sentence_of[m.document][m.start], quoted[m.document][m.start])
        for m in corpus.mentions
    ]


def pronouns(corpus: Corpus, kinds: Collection[str]) -> NDArray[np.bool_]:
    """Which mentions of some kinds are pronouns. *Shape:* (mentions,)"""
    documents = {document.id: in_sentence_case(document) for document in corpus.documents}
    return np.array(
        [
            m.kind in kinds and bool(MentionWords.of([documents[m.document].tokens[t] for t in m.tokens]).pronoun)
            for m in corpus.mentions
        ],
        dtype=bool,
    )
