"""What the features of pairs see of one mention: its words, head, names, numbers and dates; where it stands.

Everything here follows from the mention's own words and its place, and from no parser (see :mod:`cdcoref.words`).
"""

from __future__ import annotations

from dataclasses import dataclass

from cdcoref.corpus import Document, Mention
from cdcoref.words import MentionWords


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a mention beside the text.

    Attributes
    ----------
    words
        Its words and what they are.
    document, sentence
        Id of its document, and the number of the sentence that it begins in.
    start, end
        Its first token, and the one behind its last.
    """

    words: MentionWords
    document: str
    sentence: int
    start: int
    end: int


def traits(document: Document, mention: Mention, sentence: int) -> Traits:
    """What is known of a mention that begins in this sentence."""
    first = {start for start, _ in document.sentences[sentence : sentence + 1]}
    tokens = tuple(document.tokens[token] for token in mention.tokens)
    words = MentionWords.of(tokens, begins_sentence=mention.start in first)
    return Traits(words, document.id, sentence, mention.start, mention.end)
