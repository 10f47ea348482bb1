"""What the features of pairs see of one mention: its words, head, names, numbers and dates; where it stands.

Everything here follows from the mention's own words, those of its sentence and its place, and from no parser (see
:mod:`cdcoref.language.words`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.language.adjacent_facts import adjacent_facts
from cdcoref.language.stated_facts import NO_FACTS, PERSON, names_a_person
from cdcoref.language.words import MentionWords, PhraseWords, SentenceWords, head_span, is_noun, sentence_words


@dataclass(frozen=True, slots=True)
class Syntax:
    """What the parse says of a mention (:func:`cdcoref.facts.syntax`).

    Attributes
    ----------
    head
        The token that the others depend on; -1 without a parse.
    verb, role
        The verb that it is ``"subject"`` or ``"object"`` of; -1 and empty for others.
    clause
        The verb whose clause it is in, whose nouns are different things (:func:`cdcoref.facts.grammar.clause`); or -1.
    possessor
        The token that its head belongs to ("her" in "her sister"), or -1.
    antecedent
        Of a relative pronoun, the noun that its clause belongs to; or -1.
    entity
        The type of the named entity that its head is in.
    age
        That of the person whom a name or a pronoun stands for, if it is stated beside it, or else 0.
    descriptions
        Tokens and lemmas of the nouns that say beside a name or a pronoun what the person is.
    """

    head: int = -1
    verb: int = -1
    role: str = ""
    clause: int = -1
    possessor: int = -1
    antecedent: int = -1
    entity: str = ""
    age: int = 0
    descriptions: tuple[tuple[int, str], ...] = ()


NO_SYNTAX = Syntax()
LastWord = Literal["mention", "head"]
"""Whose last word is meant."""


@dataclass(frozen=True, slots=True)
class MentionFacts:
    """The facts of a mention.

    Attributes
    ----------
    words
        Its words and what they are.
    phrase
        The words around its head; only those of the mention itself if the sentence is hidden.
    around
        What the sentence that it begins in says; nothing if the sentence is hidden.
    document, sentence
        Id of its document, and the number of the sentence that it begins in.
    start, end
        Its first token, and the one behind its last.
    quotation
        Number of the quotation that it begins in (:func:`cdcoref.language.quotations`); 0: none, or not asked for.
    clause
        That of its :class:`Syntax`, of an entity whose head is a common noun; -1 for others.
    syntax
        What the parse says of it.
    """

    words: MentionWords
    phrase: PhraseWords
    around: SentenceWords
    document: str
    sentence: int
    start: int
    end: int
    quotation: int = 0
    clause: int = -1
    syntax: Syntax = NO_SYNTAX

    def is_possessor_of(self, other: MentionFacts) -> bool:
        """Whether the other's noun belongs to this mention ("[her] sister", not the name "its Fiesta")."""
        owned = self.syntax.head == other.syntax.possessor >= 0 and not other.words.names
        return owned and self.document == other.document

    def is_other_argument(self, other: MentionFacts) -> bool:
        """Whether one mention is the subject, and the other the object, of one verb ("Dr. Lee met Mr. Lee")."""
        mine, theirs = self.syntax, other.syntax
        return self.document == other.document and mine.verb == theirs.verb >= 0 and mine.role != theirs.role

    def in_clause_with(self, other: MentionFacts) -> bool:
        """Whether both are nouns of one clause that share no word, with words between them."""
        return (
            self.document == other.document
            and self.clause == other.clause >= 0
            and (self.end < other.start or other.end < self.start)
            and self.words.lemmas.isdisjoint(other.words.lemmas)
        )


def mention_facts(
    document: Document, mention: Mention, sentence: int, quotation: int = 0, syntax: Syntax = NO_SYNTAX
) -> MentionFacts:
    """The facts of a mention that begins in this sentence, and in this quotation."""
    start, end = document.sentences[sentence]
    phrase = document.tokens[mention.start : mention.end]
    sentence_tokens = () if sentence in document.hidden else tuple(document.tokens[start:end])
    words = mention_words(document, mention)
    if syntax.entity == "PERSON" and not words.is_organisation and names_a_person(words.whole_name):
        words = replace(words, beside=words.beside._replace(sorts=frozenset((PERSON,))))
    is_thing = mention.kind == ENTITY and sentence_tokens and is_noun(words)
    return MentionFacts(
        words,
        _phrase(sentence_tokens, phrase, mention.start - start),
        sentence_words(sentence_tokens),
        document.id,
        sentence,
        mention.start,
        mention.end,
        quotation,
        syntax.clause if is_thing else -1,
        syntax if sentence_tokens else NO_SYNTAX,
    )


def mention_words(document: Document, mention: Mention) -> MentionWords:
    """The words of a mention; of an entity also what belongs to it beside it (reports count one event differently)."""
    start, end = document.sentence_at(mention.start)
    phrase = document.tokens[mention.start : mention.end]
    before, after = document.tokens[start : mention.start], document.tokens[mention.end : end]
    return MentionWords.of(
        [document.tokens[token] for token in mention.tokens],
        begins_sentence=mention.start == start,
        phrase=phrase,
        beside=adjacent_facts(before, phrase, after) if mention.kind == ENTITY else NO_FACTS,
    )


def last_word(document: Document, mention: Mention, of: LastWord) -> int:
    """The token that is the last one of a mention, or of its head."""
    if of == "mention":
        return mention.end - 1
    _, end = head_span(document.tokens[mention.start : mention.end])
    return mention.start + end - 1


def _phrase(sentence: Sequence[str], phrase: Sequence[str], start: int) -> PhraseWords:
    """What stands around the head of a phrase that begins with word `start` of a sentence."""
    head, end = head_span(phrase)
    if not sentence:
        return PhraseWords.of(phrase, head, end)
    return PhraseWords.of(sentence, start + head, min(start + end, len(sentence)))
