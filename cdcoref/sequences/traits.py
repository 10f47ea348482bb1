"""What the features of pairs see of one mention: its words, head, names, numbers and dates; where it stands.

Everything here follows from the mention's own words, those of its sentence and its place, and from no parser (see
:mod:`cdcoref.words`).
"""

from __future__ import annotations

from dataclasses import dataclass

from cdcoref.corpus import Document, Mention
from cdcoref.words import MentionWords, SentenceWords, sentence_words


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a mention beside the text.

    Attributes
    ----------
    words
        Its words and what they are.
    around
        What the sentence that it begins in says; nothing if the sentence is hidden.
    document, sentence
        Id of its document, and the number of the sentence that it begins in.
    start, end
        Its first token, and the one behind its last.
    """

    words: MentionWords
    around: SentenceWords
    document: str
    sentence: int
    start: int
    end: int


def traits(document: Document, mention: Mention, sentence: int) -> Traits:
    """What is known of a mention that begins in this sentence."""
    start, end = document.sentences[sentence]
    tokens = tuple(document.tokens[token] for token in mention.tokens)
    words = MentionWords.of(tokens, begins_sentence=mention.start == start)
    around = sentence_words(() if sentence in document.hidden else tuple(document.tokens[start:end]))
    return Traits(words, around, document.id, sentence, mention.start, mention.end)
