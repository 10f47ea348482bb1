"""What the features of pairs see of one mention: its words, those beside it and around it, its place, and its
syntax."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.language.amounts import NUMERALS, SCALES, amounts_in, whole_figures
from cdcoref.language.dates import YEAR, is_date
from cdcoref.language.proper_names import GENERATIONS, TITLES, names_a_person
from cdcoref.language.stated_facts import GROUP, NO_FACTS, NO_PERSON, PERSON, PLAYERS, TOWN, StatedFacts
from cdcoref.language.words import (
    MentionWords,
    PhraseWords,
    SentenceWords,
    continues_phrase,
    head_span,
    head_word,
    is_noun,
    nationality,
    sentence_words,
)
from cdcoref.word_tables import words_in

_MEASURE = re.compile(r"[-+$€£]?\d[\d,./:-]*%?")
"""Numbers that count or measure; also such as "3-1/2"."""
_SCORE = re.compile(r"(?<![^ ])\d{1,2} ?[-–] ?\d{1,2}(?![^ ]) ?([^ ]*)")
"""A score, and the word behind it, which is no noun that it counts."""
_FUNCTION_WORDS = words_in("function_words.tsv")
_CONTESTS = words_in("verbs.tsv", "contest")
_PLURAL = words_in("function_words.tsv", "plural verb")
_HOLDINGS = words_in("no_places.tsv", "holding")
_NO_VERBS = words_in("function_words.tsv", "preposition") | words_in("function_words.tsv", "ends head")
_WHERE = words_in("place_words.tsv", "before a town")
"""What stands before the name of a town, and not before that of its club."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """What the parse says of a mention (:func:`cdcoref.facts.syntax`).

    `head`: the token that the others depend on; -1 without a parse, as for the others.
    `verb`, `role`: the verb that it is ``"subject"`` or ``"object"`` of, or ``"oblique"``, behind a preposition.
    `clause`: the verb whose clause it is in, whose nouns are different things.
    `possessor`: the token that its head belongs to ("her" in "her sister").
    `antecedent`: of a relative pronoun, the noun that its clause belongs to.
    `entity`: the type of the named entity that its head is in.
    `age`, `descriptions`: what is stated beside a name or pronoun: the age, or 0; tokens and lemmas of nouns.
    `relatives`: the tokens of those whose relative somebody with a name is ("her" in "her uncle Al Hale"), and the
        generation that this says, if both have one name.
    `is_another`: whether words say that somebody else has the name ("another Al Hale", "also called Al Hale").
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
    relatives: tuple[tuple[int, str], ...] = ()
    is_another: bool = False


NO_SYNTAX = Syntax()


@dataclass(frozen=True, slots=True)
class MentionFacts:
    """The facts of a mention.

    `phrase`: the words around its head; only its own if the sentence is hidden, and then `around` is empty.
    `quotation`: the number of the quotation that it begins in; 0: none.
    `clause`: that of its :class:`Syntax`, of an entity whose head is a common noun; -1 for others.
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
        """Whether they are subject and object of one verb ("Dr. Lee met Mr. Lee"), its object and a pronoun behind a
        preposition ("hired a lawyer for him"), or a pronoun and a noun behind one ("she worked for Ms. Lee")."""
        mine, theirs = self.syntax, other.syntax
        in_one = self.document == other.document and mine.verb == theirs.verb >= 0
        roles = {mine.role, theirs.role}
        pronouns = {one.syntax.role for one in (self, other) if one.words.pronoun}
        behind_object = roles == {"object", "oblique"} and bool(pronouns)
        behind_pronoun = roles == {"subject", "oblique"} and pronouns == {"subject"}
        return in_one and (roles == {"subject", "object"} or behind_object or behind_pronoun)

    def has_other_title(self, other: MentionFacts) -> bool:
        """Whether both are a title and a surname, of one sentence, with unlike titles ("Prof. Lee", "Mrs. Ann Lee")."""
        mine, theirs = self.words.words, other.words.words
        titles = {mine[0].rstrip("."), theirs[0].rstrip(".")}
        in_one = (self.document, self.sentence) == (other.document, other.sentence)
        return in_one and len(titles) == 2 and mine[-1] == theirs[-1] and titles <= TITLES

    def in_clause_with(self, other: MentionFacts) -> bool:
        """Whether both are nouns of one clause that share no word, with words between them."""
        return (
            self.document == other.document
            and self.clause == other.clause >= 0
            and (self.end < other.start or other.end < self.start)
            and self.words.lemmas.isdisjoint(other.words.lemmas)
        )


def mention_facts(
    document: Document,
    mention: Mention,
    sentence: int,
    quotation: int = 0,
    syntax: Syntax = NO_SYNTAX,
    surnames: Collection[str] = (),
) -> MentionFacts:
    """The facts of a mention that begins in this sentence, and in this quotation.

    `surnames`: Those of the document (:func:`surnames_in`).
    """
    start, end = document.sentences[sentence]
    phrase = document.tokens[mention.start : mention.end]
    sentence_tokens = () if sentence in document.hidden else tuple(document.tokens[start:end])
    words = mention_words(document, mention)
    if sentence_tokens and (sorts := words.beside.sorts or _sorts_of_players(document, mention, sentence, syntax)):
        words = replace(words, beside=words.beside._replace(sorts=sorts))
    if not words.is_organisation and names_a_person(words.whole_name):
        previous, after = document.tokens[max(0, mention.start - 1)], document.tokens[mention.end : mention.end + 1]
        is_verb = bool(after) and after[0].islower() and len(after[0]) > 2 and after[0] not in _NO_VERBS
        is_named = len(phrase) == len(words.whole_name) and previous.casefold() == "the"
        if is_named and is_verb and syntax.role == "subject":  # "the Ann Keller sank"
            words = replace(words, beside=words.beside._replace(sorts=NO_PERSON))
        elif syntax.entity == "PERSON":
            words = replace(words, beside=words.beside._replace(sorts=frozenset((PERSON,))))
    is_first = start == mention.start and len(phrase) == 1 and not (words.pronoun or words.dates)
    if is_first and (syntax.entity or phrase[0] in surnames):
        words = replace(words, initial_name=words.initial_name or words.words[0])
    is_thing = mention.kind == ENTITY and sentence_tokens and is_noun(words)
    head, stop = head_span(phrase)
    before = mention.start - start if sentence_tokens else 0
    return MentionFacts(
        words,
        PhraseWords.of(sentence_tokens or phrase, before + head, before + stop),
        sentence_words(sentence_tokens),
        document.id,
        sentence,
        mention.start,
        mention.end,
        quotation,
        syntax.clause if is_thing else -1,
        syntax if sentence_tokens else NO_SYNTAX,
    )


def surnames_in(document: Document) -> frozenset[str]:
    """The capitalised words of a document that follow another word of a name ("Hart", of "Colin Hart")."""
    return frozenset(
        word
        for before, word in pairwise(document.tokens)
        if word[:1].isupper() and before.istitle() and before.casefold() not in _FUNCTION_WORDS
    )


def _sorts_of_players(document: Document, mention: Mention, sentence: int, syntax: Syntax) -> frozenset[str]:
    """What a name may be in a sentence with the score of a game, or with a plural verb, as clubs have it."""
    start, end = document.sentences[sentence]
    tokens = tuple(document.tokens[start:end])
    before, after = tokens[: mention.start - start][-1:], tokens[mention.end - start :][:1]
    if syntax.role == "subject" and after and after[0] in _PLURAL and before not in (("and",), (",",)):
        return GROUP
    scores = () if sentence_words(tokens).lemmas.isdisjoint(_CONTESTS) else _SCORE.findall(" ".join(tokens))
    is_score = any(not following.islower() or following in _FUNCTION_WORDS for following in scores)
    return PLAYERS if is_score else frozenset()


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


def last_word_of_head(document: Document, mention: Mention) -> int:
    """The token that is the last one of a mention's head ("the captain of the ship": captain)."""
    _, end = head_span(document.tokens[mention.start : mention.end])
    return mention.start + end - 1


def adjacent_facts(before: Sequence[str], words: Sequence[str], after: tuple[str, ...]) -> StatedFacts:
    """What the words directly beside a mention that is no date add to it.

    The numbers that count it, the country of an office, the "Jr." behind it, and whether it is a town ("in Leeds").
    """
    if is_date(head_word(words)):
        return NO_FACTS
    start = len(before)
    while start and len(before) - start < 2 and continues_phrase(before[start - 1]):
        start -= 1
    return StatedFacts(
        amounts=_amounts(before),
        sorts=_sorts_behind([word.casefold() for word in before[-2:]]),
        nationality=nationality([*before[start:], *words, *(after[1:3] if after[:1] == ("of",) else ())]),
        generation=_generation(words, after),
    )


def _sorts_behind(before: Sequence[str]) -> frozenset[str]:
    """What a name after these words is: a town after "in", but a company after "shares in"."""
    if before[-1:] == ["in"] and before[0].removesuffix("s") in _HOLDINGS:
        return NO_PERSON
    return frozenset((TOWN,)) if before and before[-1] in _WHERE else frozenset()


def _generation(words: Sequence[str], after: Sequence[str]) -> frozenset[str]:
    """What tells two of one name apart: "Jr." behind the name, also behind a comma."""
    following = after[1:2] if after[:1] == (",",) else after[:1]
    stated = GENERATIONS.intersection(word.casefold().rstrip(".") for word in following)
    return stated if words[-1][:1].isupper() else frozenset()


def _amounts(before: Sequence[str]) -> frozenset[str]:
    before = whole_figures(before)
    start = len(before)
    while start and before[start - 1].casefold() in SCALES:
        start -= 1
    while start and (_MEASURE.fullmatch(before[start - 1]) or before[start - 1].casefold() in NUMERALS):
        start -= 1
    found = before[start:]
    if any(map(YEAR.fullmatch, found)) or (start and is_date(before[start - 1])):
        return frozenset()
    return amounts_in([word.casefold() for word in found], _MEASURE)
