"""Documents with clusters in, their texts with mentions replaced by the names of what they refer to out.

"Tomas Vell was held. He denied it." becomes "Tomas Vell was held. Tomas Vell denied it.", so that programs that read
sentence by sentence, and people who quote one, know who is meant. The name is what people call the cluster, or else the
label of those of its mentions that are names, or of all. Only entities are replaced; a cluster that consists of
pronouns has no name and is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from cdcoref.corpus import ENTITY, Corpus, Document, Mention, character_parts, mention_text
from cdcoref.errors import InputError
from cdcoref.formats import file_names, output_file, written_folder
from cdcoref.language import is_common_word, lemma
from cdcoref.predict import Prediction, cluster_label, corpus_and_stories

Replaced = Literal["pronouns", "all"]
"""What is replaced: pronouns of the third person alone, or all mentions of clusters with several."""

_PERSONAL = frozenset(("he", "him", "she", "it", "they", "them"))
_POSSESSIVE = frozenset(("his", "hers", "its", "their", "theirs"))
_NO_NAMES = (
    _PERSONAL
    | _POSSESSIVE
    | frozenset(
        (
            *(
                "her",
                "himself",
                "herself",
                "itself",
                "themselves",
                "i",
                "me",
                "my",
                "mine",
                "myself",
                "we",
                "us",
                "our",
            ),
            *("ours", "ourselves", "you", "your", "yours", "yourself", "yourselves", "who", "whom", "whose", "which"),
            *("that", "this", "these", "those", "there", "here", "one", "someone", "everyone", "anyone"),
        )
    )
)
"""Words by which nothing is named."""
_DETERMINERS = frozenset(("the", "a", "an"))
_OTHER_DETERMINERS = frozenset(("this", "that", "these", "those", "my", "your", "his", "her", "its", "our", "their"))
_AFTER_OBJECT = frozenset(
    (
        *(
            "a",
            "an",
            "the",
            "and",
            "or",
            "but",
            "as",
            "at",
            "by",
            "for",
            "from",
            "in",
            "into",
            "of",
            "off",
            "on",
            "out",
        ),
        *("over", "to", "up", "with", "when", "where", "while", "after", "before", "because", "if", "that", "this"),
        *(
            "there",
            "here",
            "again",
            "away",
            "back",
            "home",
            "yesterday",
            "today",
            "tomorrow",
            "then",
            "too",
            "was",
            "is",
        ),
        *("had", "has", "would", "will", "not", "about", "against", "during", "since", "until", "through", "under"),
    )
)
"""Words before which "her" is an object and no possessor."""
_POSSESSIVE_END = re.compile(r"['’]s?$")


class _Edit(NamedTuple):
    """Characters of a text, and what takes their place."""

    start: int
    end: int
    text: str


def resolved_texts(source: Prediction | Corpus, replaced: Replaced = "pronouns") -> dict[str, str]:
    """The texts of documents with mentions replaced by the names of their clusters.

    Parameters
    ----------
    source
        Documents, mentions and clusters.
    replaced
        ``"pronouns"``: pronouns of the third person, possessive ones with "'s" ("his crew": "Tomas Vell's crew");
        reflexive and relative pronouns are kept. ``"all"``: every mention whose words are not the name; of mentions
        that overlap, the longest.

    Returns
    -------
    dict
        The texts by the ids of the documents.

    Raises
    ------
    InputError
        If `replaced` is neither.

    >>> from cdcoref.corpus import Document
    >>> document = Document.from_sentences("a", [["Ann", "left", "."], ["Her", "dog", "saw", "her", "."]])
    >>> mentions = tuple(Mention("a", (n,), "entity", "c") for n in (0, 3, 6))
    >>> resolved_texts(Corpus((document,), mentions))["a"]
    "Ann left .\\nAnn's dog saw Ann ."
    """
    if replaced not in get_args(Replaced):
        raise InputError(f"{replaced!r} cannot be replaced; choose pronouns or all")
    corpus, _ = corpus_and_stories(source)
    documents = {document.id: document for document in corpus.documents}
    names = _names(corpus, documents)
    mentions = corpus.by_document()
    return {id: _resolved(document, mentions[id], names, replaced) for id, document in documents.items()}


def _names(corpus: Corpus, documents: Mapping[str, Document]) -> dict[str, str]:
    """The names of clusters of several entities; those that have none are left out."""
    names = {}
    for members in corpus.clusters():
        cluster = members[0].cluster
        if cluster is None or members[0].kind not in (ENTITY, None) or len(members) < 2:
            continue
        given = corpus.name_of(members[0])
        wordings = [_wording(mention, documents[mention.document]) for mention in members if mention.contiguous]
        wordings = [wording for wording in wordings if wording.casefold() not in _NO_NAMES]
        if given:
            names[cluster] = given
        elif wordings:
            wordings = [wording for wording in wordings if wording[:1].isupper()] or wordings
            label = _POSSESSIVE_END.sub("", cluster_label(wordings)).rstrip()
            names[cluster] = _definite(label)
    return names


def _wording(mention: Mention, document: Document) -> str:
    """The words of a mention; a noun that has a capital only since it begins a sentence has none."""
    words = mention_text(mention, document)
    begins = document.sentence_at(mention.start)[0] == mention.start
    first, _, rest = words.partition(" ")
    if begins and (is_common_word(words.lower()) if not rest else first.lower() in _DETERMINERS | _OTHER_DETERMINERS):
        return words[:1].lower() + words[1:]
    return words


def _definite(label: str) -> str:
    """A label as it can stand for a pronoun: "ferry" and "a ferry" as "the ferry"; a name as it is."""
    first, _, rest = label.partition(" ")
    if first.lower() in ("a", "an") and rest:
        return f"the {rest}"
    named = first[:1].isupper() or first.lower() in _DETERMINERS | _OTHER_DETERMINERS
    return label if named else f"the {label}"


def _resolved(document: Document, mentions: Sequence[Mention], names: Mapping[str, str], replaced: Replaced) -> str:
    edits: list[_Edit] = []
    taken = -1
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        name = names.get(mention.cluster or "")
        if name is None or not mention.contiguous or mention.kind not in (ENTITY, None) or mention.start <= taken:
            continue
        edit = _edit(document, mention, name, replaced)
        if edit is not None:
            edits.append(edit)
            taken = mention.end - 1
    text = document.text
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _edit(document: Document, mention: Mention, name: str, replaced: Replaced) -> _Edit | None:
    """What takes the place of a mention; None if it stays."""
    [(start, end)] = character_parts(mention, document)
    words = mention_text(mention, document)
    word = words.casefold()
    if len(mention.tokens) == 1 and (word in _PERSONAL or word in _POSSESSIVE or word == "her"):
        own = word in _POSSESSIVE or (word == "her" and _possesses(document, mention))
        text = _possessive(name) if own else name
    elif replaced == "pronouns" or word in _NO_NAMES:
        return None
    else:
        bare = _POSSESSIVE_END.sub("", words).rstrip()
        if bare.casefold() in (name.casefold(), _without_article(name).casefold()):
            return None
        text = _possessive(name) if bare != words else name
        before = document.tokens[mention.start - 1].lower() if mention.start else ""
        if before in _DETERMINERS and document.sentence_at(mention.start)[0] < mention.start:
            # "the captain": the name takes the place of the article too, another description only of the noun.
            if name[:1].isupper():
                start = document.offsets[mention.start - 1][0]
            else:
                text = _without_article(text)
        elif before in _OTHER_DETERMINERS:
            text = _without_article(text)
    if document.sentence_at(mention.start)[0] == mention.start and document.tokens[mention.start][:1].isupper():
        text = text[:1].upper() + text[1:]
    return _Edit(start, end, text)


def _without_article(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _DETERMINERS and rest else name


def _possesses(document: Document, mention: Mention) -> bool:
    """Whether "her" is followed by the noun that belongs to her, as far as the next word tells."""
    following = mention.end
    if following >= document.sentence_at(mention.start)[1]:
        return False
    word = document.tokens[following]
    return word[:1].isalnum() and word.lower() not in _AFTER_OBJECT


def _possessive(name: str) -> str:
    """A name with "'s"; a plural noun with an apostrophe ("the passengers'").

    >>> _possessive("Ann"), _possessive("James"), _possessive("the passengers"), _possessive("Tallgrass Foods")
    ("Ann's", "James's", "the passengers'", "Tallgrass Foods'")
    """
    last = name.split()[-1]
    plural = last.endswith("s") and (last[:1].islower() or (" " in name and _is_plural(last.casefold())))
    return f"{name}'" if plural else f"{name}'s"


def _is_plural(word: str) -> bool:
    """Whether a word in lower case that ends in "s" is the plural of one in the dictionary."""
    return not word.endswith("ss") and lemma(word) == word.removesuffix("s") and is_common_word(word)


def write_resolved(source: Prediction | Corpus, folder: str | Path, replaced: Replaced = "pronouns") -> None:
    """Write the texts that :func:`resolved_texts` gives into a folder, a file for each document.

    Raises
    ------
    InputError
        If the folder cannot be written, or holds files that cdcoref did not write. It is then left as it was.
    """
    corpus, _ = corpus_and_stories(source)
    texts = resolved_texts(source, replaced)
    files = file_names(texts, ".txt")
    with written_folder(folder, corpus, files) as new:
        for id, text in texts.items():
            with output_file(new / files[id]) as file:
                file.write(text)
