"""What a mention's words show without a parser, by rules chosen on the train topics of ECB+: its head, lemmas, names,
what is a pronoun, a number or a date."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from cdcoref.language.amounts import NUMBER, NUMERALS, amounts_in, plain_number, whole_figures
from cdcoref.language.casing import is_common_word
from cdcoref.language.dates import WEEKDAYS, YEAR, date_name, is_date, is_date_name
from cdcoref.language.proper_names import (
    GENDER_OF_NOUNS,
    GENERATIONS,
    INSTITUTIONS,
    MEN_AND_WOMEN,
    NO_FIRST_NAMES,
    OFFICES,
    PARTICLES,
    TITLES,
    TOWNS,
    countries_named,
    gender_of_first_name,
    names_a_person,
)
from cdcoref.language.stated_facts import CLUB, NO_FACTS, NO_PERSON, ORGANISATION, PERSON, TOWN, StatedFacts
from cdcoref.word_tables import rows, words_in

_PREPOSITION = words_in("function_words.tsv", "preposition")
_DETERMINER = words_in("function_words.tsv", "determiner")
_QUANTIFIER = words_in("function_words.tsv", "quantifier")
_NOT_IN_PHRASE = words_in("function_words.tsv", "no phrase")
_RELATIVE = words_in("function_words.tsv", "relative")
_INDEFINITE = words_in("function_words.tsv", "indefinite")
_POSSESSIVES = frozenset({"'s", "’s", "'", "’"})
"""Possessive endings that are tokens of their own."""
_ENDS_HEAD = words_in("function_words.tsv", "ends head") | {",", ";", ":", "(", "-", "--", "–", "—"}
"""What follows modifies the head or is another one."""
_BEFORE_HEAD = _PREPOSITION | _DETERMINER
_ALSO_NAMES = frozenset({"april", "august", "june", "may"})
_LEGAL_FORMS = words_in("legal_forms.tsv")
"""What ends the names of companies; not a head after another capitalised word."""
_QUOTES = frozenset({"``", "''", '"', "'", "“", "”", "‘", "’", "'s", "’s"})
_POSSESSIVE = re.compile(r"(?<=..)['’]s?$", re.IGNORECASE)
_PRONOUNS = {row["form"]: row["lemma"] for row in rows("pronouns.tsv") if row["lemma"]}
_AMOUNT = re.compile(
    r"[-+$€£]|[-+$€£]?\d[\d,./:]*%?|%|percent|hundred|thousand|million|billion|trillion", re.IGNORECASE
)
"""Words of an amount."""
_IN_DATE = re.compile(r"\d{1,2}(st|nd|rd|th)?|\d{4}|(early|late|last|next|this)|night|morning|afternoon|evening", re.I)
"""Words that belong to the date beside them."""
_ACRONYMS = {"IT": "i.t.", "US": "u.s.", "WHO": "w.h.o."}
"""Their lemmas; only in lower case are they pronouns."""
_CLASS_OF_PRONOUN = {row["form"]: row["class"] for row in rows("pronouns.tsv") if row["class"]}
"""By lemma: pronouns of one class may stand for the same thing, those of two hardly ever do."""
PRONOUNS = frozenset(_PRONOUNS) | frozenset(_CLASS_OF_PRONOUN)
"""All forms of pronouns."""
ORGANISATIONS = words_in("name_endings.tsv", "organisation")
"""Last words of what is an organisation and no person."""
_LAST_WORDS_OF_COMPANIES = words_in("name_endings.tsv", "company")
"""Last words of names of two or more words that are of an organisation."""
_CLUBS = words_in("name_endings.tsv", "team")
_ABBREVIATIONS_OF_CLUBS = words_in("name_endings.tsv", "club abbreviation")
_LAST_WORDS_OF_CLUBS = _ABBREVIATIONS_OF_CLUBS | words_in("name_endings.tsv", "club")
LONGEST_FULL_NAME = 3
"""In words, without titles, middle initials and a company's legal form; what is longer is more than one name."""
_VAGUE = words_in("vague_nouns.tsv")
MIN_LETTERS = 3
"""Of the head of a noun: shorter ones are often symbols or forms of dialect."""
BEFORE_HEAD, AFTER_HEAD = 6, 6
"""How many words before and after a head may belong to its phrase."""


@dataclass(frozen=True)
class MentionWords:
    """The words of a mention, and what they show.

    `words`: in lower case, without determiners and prepositions at the beginning, and without quotation marks.
    `head`, `lemmas`: lemma of the head, and of the words that are no determiners, prepositions or punctuation.
    `names`: capitalised words that are no dates, pronouns or determiners, in lower case. A single word that begins a
        sentence is none; it is `initial_name` if it is no common word.
    `numbers`, `years`, `dates`: numbers (two to twenty also in words), the years among them, weekdays and months.
    `pronoun`: class of the pronoun that the mention is; empty where it is none.
    `definite`: 1: begins with a definite determiner; -1: with an indefinite one; 0: with none.
    `beside`: what words beside it say of it.
    `amounts`: the values of its numbers but years, as :func:`cdcoref.language.amounts.amounts_in` writes them.
    `countries`: those whose name, adjective or people its head is.
    `nationality`: where one of its words is a title or an office: the country that the others name, if it is one.
    """

    words: tuple[str, ...]
    head: str
    lemmas: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    years: frozenset[str]
    dates: frozenset[str]
    pronoun: str
    definite: int
    beside: StatedFacts = NO_FACTS
    amounts: frozenset[str] = frozenset()
    countries: frozenset[str] = frozenset()
    initial_name: str = ""
    nationality: frozenset[str] = frozenset()

    @cached_property
    def stated(self) -> StatedFacts:
        """What it states, or else what stands beside it, unless it is a pronoun ("at 145.15 here")."""
        weekdays = self.dates & WEEKDAYS
        beside = NO_FACTS if self.pronoun else self.beside
        return StatedFacts(
            self.years,
            self.amounts or beside.amounts,
            weekdays,
            self.dates - weekdays,
            self.countries,
            self._gender,
            self.sorts,
            self.nationality or beside.nationality,
            self._generation or beside.generation,
            self._initials,
            self._full_name,
        )

    @property
    def whole_name(self) -> tuple[str, ...]:
        """Two or three words that name a person, an organisation or a place in full; empty if the mention does not."""
        name = self._full_name
        return () if len(name) < 2 or name[0] in NO_FIRST_NAMES or name[-1] in TITLES else name

    @property
    def surname(self) -> str:
        """The one word of a name that may be the last of a full one, with or without a title; empty if there is none.

        Names of countries are none.
        """
        if self.initial_name and not self.countries:
            return _plain(self.initial_name)
        words = self._words_of_name
        if not words or self.countries or not self.names.issuperset(words):
            return ""
        *titles, name = map(_plain, words)
        if len(titles) > 2 or name in TITLES or any(title not in TITLES | PARTICLES for title in titles):
            return ""
        return "" if titles[:1] == ["general"] else name  # "General Motors" is no Motors

    @property
    def is_organisation(self) -> bool:
        """Whether it is a country, or its last word but a legal form says that it is an organisation."""
        if self.pronoun or not self.words:
            return False
        forms = [word for word in self.words if is_legal_form(word)]
        own = [word for word in self.words if word not in forms and any(map(str.isalnum, word))]
        named = self.names.issuperset(own)
        if self.countries or (forms and own and named):
            return True
        if not own or own[-1] != self.words[-1]:
            return False
        return own[-1] in ORGANISATIONS or (len(own) > 1 and named and own[-1] in _LAST_WORDS_OF_COMPANIES)

    @property
    def sorts(self) -> frozenset[str]:
        """What the mention may refer to, if its last word states it. Mentions without a common sort never corefer."""
        last = self.words[-1] if self.words and not self.pronoun else ""
        named = len(self.words) > 1 and self.names.issuperset(self.words)
        if last in _CLUBS or (named and (last in _LAST_WORDS_OF_CLUBS or self.words[0] in _ABBREVIATIONS_OF_CLUBS)):
            return frozenset((CLUB, ORGANISATION))
        if last in TOWNS and not self.names:
            return frozenset((TOWN,))
        if self.head in INSTITUTIONS and not self.pronoun:
            return frozenset((ORGANISATION,))
        if self.is_organisation and not self.countries:  # "the Australian" may be a man
            return NO_PERSON
        if last == self.head and last in GENDER_OF_NOUNS:
            return frozenset((PERSON,))
        named = len(self.words) == 1 and not self.countries and self.names.issuperset(self.words)
        beside = self.beside.sorts if named or self.whole_name else frozenset()
        return beside if named or PERSON in beside or beside == NO_PERSON else frozenset()

    @property
    def _gender(self) -> frozenset[str]:
        words, name = self._words_of_name, self._full_name
        title = _plain(words[0]) if len(words) > 1 and self.names.issuperset(words) else ""
        alone = len(self.words) == 1 and (self.words[0] in self.names or self.words[0] == self.initial_name)
        if self.pronoun:
            stated = {"he": "man", "she": "woman"}.get(self.pronoun)
        elif title in MEN_AND_WOMEN:
            stated = MEN_AND_WOMEN[title]
        elif name or alone:
            first = name[0] if name else _plain(self.words[0])
            stated = "" if self.is_organisation else gender_of_first_name(first, alone=not name)
        else:
            stated = GENDER_OF_NOUNS.get(self.head) if self.words[-1:] == (self.head,) and not self.names else ""
        return frozenset((stated,)) if stated else frozenset()

    @cached_property
    def _generation(self) -> frozenset[str]:
        return frozenset(map(_plain, self.words[-1:])) & GENERATIONS if len(self.words) > 1 else frozenset()

    @property
    def _initials(self) -> frozenset[str]:
        name = self._name_with_initials
        between = " ".join(part[0] for word in name[1:-1] for part in word.split(".") if part)
        is_name = len(name) <= LONGEST_FULL_NAME + 1 and names_a_person(name) and TITLES.isdisjoint(name)
        return frozenset((between,)) if between and is_name else frozenset()

    @cached_property
    def _words_of_name(self) -> tuple[str, ...]:
        """Its words without a generation behind them, and without particles that are not capitalised first words."""
        words = self.words[:-1] if self._generation else self.words
        if self._generation and words[-1] == ",":
            words = words[:-1]
        first = words[:1] if self.names.issuperset(words[:1]) else ()
        rest = words[len(first) :]
        return (*first, *(word for word in rest[:-1] if word not in PARTICLES), *rest[-1:])

    @cached_property
    def _full_name(self) -> tuple[str, ...]:
        name = self._name_with_initials
        between = (word for word in name[1:-1] if len(word) > 1 and "." not in word)
        name = (*name[:1], *between, *name[1:][-1:])
        return name if len(name) <= LONGEST_FULL_NAME else ()

    @cached_property
    def _name_with_initials(self) -> tuple[str, ...]:
        words = [word for word in self._words_of_name if not is_legal_form(word)]
        if len(self._words_of_name) < 2 or not self.names.issuperset(words):
            return ()
        name = list(map(_plain, words))
        if name and name[-1].removesuffix("-elect").removesuffix("-designate") in OFFICES:
            return ()
        while len(name) > 2 and name[0] in TITLES and name[0] != "general":  # "General Motors Corporation"
            del name[0]
        return tuple(name)

    @classmethod
    def of(
        cls,
        tokens: Sequence[str],
        *,
        begins_sentence: bool = False,
        phrase: Sequence[str] | None = None,
        beside: StatedFacts = NO_FACTS,
    ) -> MentionWords:
        """Look at the words of a mention.

        `begins_sentence`: Whether it begins a sentence.
        `phrase`: All words from its first to its last, among which its head is sought; None: it has no gaps.
        `beside`: What words beside it say of it.
        """
        core = [token for token in tokens if token not in _QUOTES] or list(tokens)
        determiner = core[0].casefold() if len(core) > 1 and core[0].casefold() in _DETERMINER else ""
        core = core[_beginning(core) :]
        words = tuple(word.casefold() for word in core)
        figures = [word.casefold() for word in whole_figures(core)]
        phrase = tokens if phrase is None else phrase
        head = lemma(head_word(phrase))
        names = frozenset(map(str.casefold, filter(_is_name, tokens)))
        initial = names if begins_sentence and len(tokens) == 1 else frozenset()
        return cls(
            words,
            head,
            frozenset(lemma(word) for word in core if _is_content(word)),
            names - initial,
            frozenset(plain_number(word) for word in figures if NUMBER.fullmatch(word) or word in NUMERALS),
            frozenset(filter(YEAR.fullmatch, words)),
            frozenset(_dates(core)),
            _CLASS_OF_PRONOUN.get(head, "") if len(core) == 1 else "",
            (-1 if determiner in ("a", "an") else 1) if determiner else 0,
            beside,
            amounts_in(figures),
            countries_named(name_of(phrase)),
            next((name for name in initial if not is_common_word(name)), ""),
            nationality(core),
        )


def nationality(words: Sequence[str]) -> frozenset[str]:
    """The country of a person with a title or an office, if the words name exactly one."""
    if len(words) < 2 or TITLES.isdisjoint(map(str.casefold, words)):
        return frozenset()
    following = zip(words, (*words[1:], ""), strict=True)
    pairs = ((word.casefold(), behind.casefold()) for word, behind in following if word[:1].isupper())
    found = {countries_named(pair) or countries_named(pair[:1]) for pair in pairs} - {frozenset()}  # "New Zealand"
    return found.pop() if len(found) == 1 else frozenset()


@dataclass(frozen=True, slots=True)
class PhraseWords:
    """The phrase that a mention is the head of, as far as its sentence shows it, however much of it the mention has.

    `modifiers`: Lemmas of the words between a determiner and the head, with the possessor if there is one; if there is
        no determiner, of the two words before the head.
    `complements`: Lemmas of the words after a preposition that directly follows the head, up to the next preposition.
    `article`: ``"the"``, ``"another"`` or ``"a"`` (also for "an") where it begins with one; else empty.
    """

    modifiers: frozenset[str]
    complements: frozenset[str]
    article: str = ""

    @classmethod
    def of(cls, sentence: Sequence[str], start: int, end: int) -> PhraseWords:
        """Look around the head, the words from `start` to before `end` of a sentence."""
        before, after = sentence[max(0, start - BEFORE_HEAD) : start], sentence[end : end + AFTER_HEAD]
        modifiers, article = _before_head(before)
        return cls(frozenset(map(lemma, modifiers)), _after_head(after), article)


def _before_head(words: Sequence[str]) -> tuple[Sequence[str], str]:
    for place in range(len(words) - 1, -1, -1):
        word = words[place].casefold()
        if word in _POSSESSIVES and place:
            return (*words[place + 1 :], words[place - 1]), ""
        if word in _DETERMINER | _QUANTIFIER:
            article = word if word in ("the", "another") else "a" if word in _INDEFINITE else ""
            return words[place + 1 :], article
        if not continues_phrase(word):
            return words[place + 1 :][-2:], ""
    return words[-2:], ""


def _after_head(words: Sequence[str]) -> frozenset[str]:
    if not words or words[0].casefold() not in _PREPOSITION:
        return frozenset()
    found: list[str] = []
    for word in words[1:]:
        if _ends_phrase(word) or (found and word.casefold() in _PREPOSITION):
            break
        if _is_content(word):
            found.append(lemma(word))
    return frozenset(found)


def _ends_phrase(word: str) -> bool:
    return word.casefold() in _NOT_IN_PHRASE | _ENDS_HEAD or not any(map(str.isalnum, word))


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """What the words of a sentence say of what it is about.

    `lemmas`: Lemmas of the words that are no determiners, prepositions or punctuation.
    `names`: Those of its names and numbers: capitalised words but the first, and words that begin with a digit.
    """

    lemmas: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=1 << 14)
def sentence_words(tokens: tuple[str, ...]) -> SentenceWords:
    """Look at the words of a sentence."""
    content = [(place, token) for place, token in enumerate(tokens) if _is_content(token)]
    names = (token for place, token in content if (place and _is_name(token)) or token[0].isdigit())
    return SentenceWords(frozenset(lemma(token) for _, token in content), frozenset(map(lemma, names)))


def is_noun(words: MentionWords) -> bool:
    """Whether a mention is a common noun that names something: no name, pronoun or number, and no word like "part"."""
    named = words.pronoun or words.names or words.initial_name
    return not named and words.head.isalpha() and len(words.head) >= MIN_LETTERS and words.head not in _VAGUE


def _plain(word: str) -> str:
    """A word of a name without full stop and accents, its apostrophe straight."""
    letters = unicodedata.normalize("NFKD", word.rstrip(".").replace("’", "'"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _dates(words: Sequence[str]) -> Iterator[str]:
    """Weekdays and months among words, in lower case; neither a "march" or a "may", nor the name "Theresa May"."""
    for place, word in enumerate(words):
        date = date_name(word) or date_name(word.strip("."))
        before = words[place - 1] if place else ""
        of_a_person = date in _ALSO_NAMES and _is_name(before) and not _IN_DATE.fullmatch(before)
        if date is not None and not of_a_person:
            yield date


def _is_content(word: str) -> bool:
    return any(map(str.isalnum, word)) and word.casefold() not in _BEFORE_HEAD


def _is_name(word: str) -> bool:
    if not word[:1].isupper() or word.casefold() in _DETERMINER or is_date_name(word):
        return False
    return lemma(word) not in _CLASS_OF_PRONOUN


def head_word(words: Sequence[str]) -> str:
    """The word that says what a mention is, by the rules at the top of this file."""
    words = [word for word in words if word not in _QUOTES] or list(words)
    for word in words:
        if is_date_name(word):
            return word
    start = _beginning(words)
    end = start + 1
    while end < len(words) and words[end].casefold() not in _PREPOSITION | _ENDS_HEAD:
        end += 1
    last = end - 1
    while last > start and (words[last] == "." or is_legal_form(words[last])):
        last -= 1
    return words[last if _is_capital(words[last]) else end - 1]


def _beginning(words: Sequence[str]) -> int:
    """The first word that is no determiner or preposition, or else the last."""
    return next((place for place, word in enumerate(words[:-1]) if word.casefold() not in _BEFORE_HEAD), len(words) - 1)


def is_legal_form(word: str) -> bool:
    """Whether a word is the legal form of a company, with or without full stops ("S.p.A.", "Inc")."""
    form = word.casefold().removesuffix(".")
    return form in _LEGAL_FORMS or form.replace(".", "") in _LEGAL_FORMS


def head_span(words: Sequence[str]) -> tuple[int, int]:
    """Where the name or noun stands that a mention comes down to, end exclusive.

    The head, with the rest of its name to the left and a company's legal form to the right ("a spokesman": spokesman;
    "the Harry Winston boutique": boutique; "Mayor Dan Brown of Salem": Mayor Dan Brown), of its amount ("some 40
    million euros": euros; "40 million": 40 million), or of its date on both sides ("on May 18 , 2006": May 18 , 2006).
    """
    head = head_word(words)
    places = [place for place, word in enumerate(words) if word == head]
    # Without a date, the head ends the first phrase, so of equal words the first after a determiner is meant.
    start = end = next((place for place in places if place), places[0])
    if is_date(head):
        while end + 1 < len(words) and (words[end + 1] == "," or _IN_DATE.fullmatch(words[end + 1])):
            end += 1
        end -= words[end] == ","
        while start and _IN_DATE.fullmatch(words[start - 1]):
            start -= 1
    elif _AMOUNT.fullmatch(head):
        while start and _AMOUNT.fullmatch(words[start - 1]):
            start -= 1
    elif _is_capital(head):
        while end + 1 < len(words) and (words[end + 1] == "." or is_legal_form(words[end + 1])):
            end += 1
        while start and (_is_capital(words[start - 1]) or (words[start - 1] == "." and start > 1)):
            start -= 1
    return start, end + 1


def name_of(words: Sequence[str]) -> tuple[str, ...]:
    """The name that is a mention's head, as words in lower case, each once, without possessives and legal forms.

    Empty if the head is not capitalised or a date.
    """
    if not _is_name(head_word(words)):
        return ()
    own = (_POSSESSIVE.sub("", word).rstrip(".").casefold() for word in words[slice(*head_span(words))])
    return tuple(dict.fromkeys(word for word in own if word[:1].isalnum() and not is_legal_form(word)))


def continues_phrase(word: str) -> bool:
    """Whether a word may belong to the same phrase as the one before it: not punctuation, a verb or a preposition."""
    return not (_ends_phrase(word) or word.casefold() in _PREPOSITION)


def is_relative_pronoun(word: str) -> bool:
    """Whether a word is one that may begin a relative clause."""
    return word.casefold() in _RELATIVE


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and word.casefold() not in _DETERMINER


@lru_cache(maxsize=1 << 16)
def lemma(word: str) -> str:
    """The dictionary form of an English word, in lower case; possessives and forms of pronouns are undone."""
    from simplemma import lemmatize

    word = _POSSESSIVE.sub("", word)
    if not word or word in _ACRONYMS:
        return _ACRONYMS.get(word, word)
    word = word.lower()
    if not word.isprintable() and any("\ud800" <= character <= "\udfff" for character in word):
        return word  # half a character, which no dictionary has
    return _PRONOUNS.get(word) or lemmatize(word, lang="en").lower()
