"""The lemma baseline: within a group of documents, mentions of one kind with the same head lemma form one cluster.

No model, no parser, nothing learnt. In place of a parser there are rules, chosen on the train topics of ECB+: the head
is the last word before the first preposition, conjunction, relative pronoun or comma, after any leading prepositions
("near an intersection in Brownsville": intersection); a weekday or month is the head wherever it occurs ("on Saturday
night": Saturday). Pronouns are lemmas like any other ("his" is "he"), across documents too: most often they refer to
the same person. Lemmas are simplemma's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from cdcoref.corpus import Corpus, Mention

_PREPOSITION = re.compile(
    r"about|above|across|after|against|ahead|along|amid|among|apart|around|as|aside|at|away|back|before|behind|"
    r"below|beneath|beside|between|beyond|by|despite|down|during|except|for|from|in|inside|into|like|near|of|off|"
    r"on|onto|out|outside|over|past|per|since|through|throughout|to|together|toward|towards|under|until|up|upon|"
    r"via|with|within|without",
    re.IGNORECASE,
)
"""Prepositions, and the particles of verbs ("check into")."""
_DETERMINER = re.compile(
    r"the|a|an|this|that|these|those|his|her|its|their|our|my|your",
    re.IGNORECASE,
)
"""Not a head when another word follows."""
_END_OF_HEAD = re.compile(
    r"who|whom|whose|which|that|where|when|while|and|or|but|[,;:(]|--?|[–—]",
    re.IGNORECASE,
)
"""What follows modifies the head or is another head."""
_DATE = re.compile(
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|"
    r"september|october|november|december",
    re.IGNORECASE,
)
"""Names in dates."""
_QUOTES = frozenset({"``", "''", '"', "'", "“", "”", "‘", "’", "'s", "’s"})
_POSSESSIVE = re.compile(r"(?<=..)['’]s?$", re.IGNORECASE)
_PRONOUNS = {
    form: pronoun
    for pronoun, forms in {
        "he": "him his himself",
        "she": "her hers herself",
        "they": "them their theirs themselves",
        "it": "its itself",
        "we": "us our ours ourselves",
        "i": "me my mine myself",
        "you": "your yours yourself yourselves",
        "who": "whom whose",
    }.items()
    for form in forms.split()
}


def lemma_clusters(corpus: Corpus, groups: Sequence[Sequence[str]]) -> Corpus:
    """Put mentions with the same head lemma into one cluster.

    Parameters
    ----------
    corpus
        Documents and mentions; any clusters that the mentions already have are ignored.
    groups
        Ids of the documents of each story (see `cdcoref.stories`); clusters do not cross groups. A document in no
        group is a group of its own.

    Returns
    -------
    Corpus
        The same mentions in the same order, with cluster names.
    """
    group_of = {id: str(number) for number, group in enumerate(groups) for id in group}
    tokens_of = {document.id: document.tokens for document in corpus.documents}

    def cluster(mention: Mention) -> str:
        tokens = tokens_of[mention.document]
        head = head_word([tokens[token] for token in mention.tokens])
        return f"{group_of.get(mention.document, mention.document)}:{lemma(head)}"

    return replace(corpus, mentions=tuple(replace(mention, cluster=cluster(mention)) for mention in corpus.mentions))


def head_word(words: Sequence[str]) -> str:
    """The head word of a mention, by the rules at the top of this file."""
    words = [word for word in words if word not in _QUOTES] or list(words)
    for word in words:
        if _DATE.fullmatch(word):
            return word
    start = 0
    while start < len(words) - 1 and (_PREPOSITION.fullmatch(words[start]) or _DETERMINER.fullmatch(words[start])):
        start += 1
    end = start + 1
    while end < len(words) and not (_PREPOSITION.fullmatch(words[end]) or _END_OF_HEAD.fullmatch(words[end])):
        end += 1
    return words[end - 1]


@lru_cache(maxsize=1 << 16)
def lemma(word: str) -> str:
    """The dictionary form of an English word, in lower case, without possessive or pronoun inflection."""
    from simplemma import lemmatize

    word = _POSSESSIVE.sub("", word).lower()
    return _PRONOUNS.get(word) or lemmatize(word, lang="en").lower()
