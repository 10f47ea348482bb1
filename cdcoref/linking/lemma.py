"""The lemma baseline: within a group of documents, mentions of one kind with the same head lemma form one cluster.

It needs no model and no parser; :mod:`cdcoref.language` has the rules for heads and lemmas. Pronouns are lemmas
like any other, also across documents: most often they refer to the same person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cdcoref.corpus import Corpus, Mention
from cdcoref.language import head_word, lemma


def lemma_clusters(corpus: Corpus, groups: Sequence[Sequence[str]]) -> Corpus:
    """Put mentions with the same head lemma into one cluster.

    Parameters
    ----------
    corpus
        Documents and mentions; clusters that the mentions already have are not looked at.
    groups
        Ids of documents that are about the same (see `cdcoref.stories`); clusters do not cross groups. A document in no
        group is one of its own.

    Returns
    -------
    Corpus
        The same mentions in the same order, with names of clusters.
    """
    group_of = {id: number for number, group in enumerate(groups) for id in group}
    tokens_of = {document.id: document.tokens for document in corpus.documents}

    def cluster(mention: Mention) -> str:
        head = head_word(tokens_of[mention.document][mention.start : mention.end])
        group = group_of.setdefault(mention.document, len(groups) + len(group_of))
        return f"{group}:{lemma(head)}"

    return replace(corpus, mentions=tuple(replace(mention, cluster=cluster(mention)) for mention in corpus.mentions))
