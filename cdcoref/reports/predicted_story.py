"""A story for readers: the documents about one subject in, its title, timeline and disagreements out, without a
model."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from operator import itemgetter
from typing import Any

from cdcoref.circumstances import Place, Source, day_of, of_one_story, places_named, state_shortened
from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.facts import Parse, Period, did_not_happen
from cdcoref.language import countries_named, is_common_word, is_header_line, lemma, names_a_person
from cdcoref.reports.cluster_circumstances import CorpusCircumstances, Known
from cdcoref.reports.disagreements import disagreements
from cdcoref.reports.labels import is_bare, is_pronoun, telling_mentions
from cdcoref.reports.mention_rows import metadata_text
from cdcoref.reports.ranking import is_date_or_number, is_within_name, mean_confidence, says_little
from cdcoref.reports.stated_numbers import NumberLine, StoryNumbers
from cdcoref.reports.stated_values import Disagreement, Statement, StoryContext
from cdcoref.word_tables import rows, words_in

LONGEST_TITLE = 25
"""In words; of a longer first sentence that stands for a headline, the first `_WORDS_OF_SENTENCE` are shown."""
_WORDS_OF_SENTENCE = 12
_WORDS_OF_HEADLINE = 3
"""Words of four letters or more that a headline has; one of fewer says little, although others may share them."""
_SENTENCE = 0.7
"""How much a first sentence is worth, as the title of a story, against a headline."""
_HEADER = 60
"""Tokens at the beginning of a document among which bylines are."""
PEOPLE_SHOWN = 4
"""Names of a story, at most."""
_LONG_SENTENCE = 40
"""In words; longer sentences are less likely to be shown."""
_NOBODY = words_in("label_words.tsv", "nobody")
"""Agencies that report, money, and what stands around reports on web sites."""
_OFFICES = words_in("titles.tsv", "office") | words_in("titles.tsv", "post")
_JOBS = words_in("jobs.tsv") | _OFFICES
_HOLIDAYS = frozenset(row["name"].casefold() for row in rows("holidays.tsv"))
_BEFORE_PLACES = words_in("place_words.tsv", "at") | {"from"}
_PLACES_TO_BE = words_in("label_words.tsv", "place")
"""Last words of names of streets, buildings, lands and waters: where people are, rather than who they are."""
_NUMBER = re.compile(r"(\d+)")
_LONGEST_MAIN = 7
"""Days of the main event of a story, at most."""
_NEARLY_BEST = 0.4
"""The share of the weight of an event's best sentence from which another one may be shown instead."""


@dataclass(frozen=True, slots=True)
class StoryEvent:
    """An event of a story, with the documents that tell of it, in the order of the story.

    `cluster`: its cluster's name in the corpus. `when`: may be a weekday alone; None if no document states it.
    `reported`: the day of the first document that reports it. `best`: the sentence that names most of what the story is
    about. `confidence`: the mean confidence of its mentions. `minor`: whether the timeline shows the same sentence for
    another event, or the event's name is a bare verb. `undated`: whether it has no day, but others of the timeline
    have. `when_known`: how its day is known.
    """

    cluster: str | None
    label: str
    when: Period | None
    reported: Period | None
    where: str
    documents: tuple[str, ...]
    best: Statement
    confidence: float | None
    minor: bool = False
    undated: bool = False
    when_known: Known | None = None

    @property
    def when_text(self) -> str:
        """When it happened, or when it was reported, in words; empty if neither is known."""
        if self.when is not None:
            return f"{self.when.shown()} (inferred)" if self.when_known == "inferred" else self.when.shown()
        if self.reported is not None:
            return f"reported {self.reported.shown()}"
        return "day unknown" if self.undated else ""


class PredictedStory:
    """The documents about one subject, and what comparing them shows.

    Everything is found when it is first asked for.
    """

    def __init__(self, number: int, corpus: Corpus, circumstances: CorpusCircumstances | None = None) -> None:
        self.number = number
        self.corpus = corpus
        self._circumstances = CorpusCircumstances(corpus) if circumstances is None else circumstances
        self._documents = {document.id: document for document in corpus.documents}

    def __repr__(self) -> str:
        return f"<Story {self.number}: {self.title!r}, {len(self.documents)} documents>"

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """The ids of its documents in order of their days, those of one day by name ("a2" before "a10").

        Those without a day come later, those without words last.
        """
        return tuple(sorted(self._documents, key=self._order))

    @cached_property
    def title(self) -> str:
        """What people call it, or else the headline that has most in common with the other documents.

        Without headlines, one of their first sentences; of documents without text, the first id.
        """
        if given := [title for document, title in self.corpus.titles.items() if document in self._documents]:
            return given[-1]
        headlines = {name: self._headline(self._documents[name]) for name in self.documents}
        words = {name: self._content(self._documents[name]) for name in self.documents}
        best, most = "", -1.0
        for name, headline in headlines.items():
            own = _lemmas(headline.split())
            if not own:
                continue
            others = [len(own & words[other]) / len(own) for other in self.documents if other != name]
            shared = sum(others) / len(others) if others else 0.0
            shared *= min(1.0, len(own) / _WORDS_OF_HEADLINE)
            if headline.endswith((".", "…")):  # a sentence of the text rather than a headline
                shared *= _SENTENCE
            if shared > most:
                best, most = headline, shared
        return best or next(iter(self.documents), "")

    @cached_property
    def who(self) -> tuple[str, ...]:
        """The names that most documents mention, people and organisations rather than places."""
        counted: list[tuple[int, int, str]] = []
        places = {place.name.casefold() for id in self._documents for place in self._circumstances.setting(id).places}
        for members in self._clusters(ENTITY):
            label = self._circumstances.name(members[0])
            named = self._have_name(members) and label[:1].isupper() and not is_pronoun(label)
            if label.casefold() in self._reporters or is_date_or_number(label.split()):
                continue
            if all(is_within_name(m, self._circumstances.parsed_readings[m.document]) for m in members):
                continue
            is_place = label.casefold() in places or places_named(label.split())
            may_be_who = not is_place or self._is_he_or_she(members)
            if may_be_who and named and _is_of_who(label) and self._is_somebody(members):
                counted.append((-len({m.document for m in members}), -len(members), label))
        shown: list[str] = []
        for *_, label in sorted(counted):
            if not any(set(label.split()) <= set(other.split()) for other in shown):  # "Orlo Dairy", "Orlo"
                shown.append(label)
        return tuple(shown[:PEOPLE_SHOWN])

    def _is_he_or_she(self, members: Iterable[Mention]) -> bool:
        readings = self._circumstances.parsed_readings
        return any(readings[m.document].facts(m).words.pronoun in ("he", "she") for m in members)

    def _is_somebody(self, members: Sequence[Mention]) -> bool:
        """Whether an entity is a person or an organisation: by "the governor", or else by its types."""
        nouns = {self._documents[m.document].tokens[m.end - 1].casefold() for m in members}
        if not nouns.isdisjoint(_PLACES_TO_BE) or not nouns.isdisjoint(_JOBS):
            return nouns.isdisjoint(_PLACES_TO_BE)
        readings = self._circumstances.parsed_readings
        parses = [readings[m.document].parse for m in members]
        heads = [parse.head_of(m.tokens) for parse, m in zip(parses, members, strict=True)]
        if _is_where_something_is([*zip(parses, heads, strict=True)]):
            return False
        types = {parse.entity_types[head] for parse, head in zip(parses, heads, strict=True)}
        with_article = any(readings[m.document].facts(m).phrase.article == "a" for m in members)  # "an SUV"
        return not types.isdisjoint(("PERSON", "ORG")) or (types == {""} and not with_article)

    @cached_property
    def where(self) -> str:
        """The place of the main events of most documents, in the country of most; empty if unknown."""
        stated = (self._circumstances.of_document(id).where for id in self.documents)
        abouts = [self._circumstances.setting(id).about for id in self.documents]
        places = [  # one that the gazetteer lacks is in the country that the headline names
            where.place
            if where.place.country or about is None or about.sort != "country"
            else replace(where.place, country=about.country)
            for where, about in zip(stated, abouts, strict=True)
            if where is not None
        ]
        titles = [self._headline(document) for document in self._documents.values()]
        places.sort(key=lambda place: (-sum(place.name in title for title in titles), str(place)))
        return _commonest_place(of_one_story(places)).shown() if places else ""

    @cached_property
    def when(self) -> Period | None:
        """The day of the event that most documents tell of; or else that of the main events of most documents, the
        earliest of equally many; None if unknown."""
        if (shared := self._most_shared) is not None:
            return shared
        stated = [self._circumstances.of_document(id).when for id in self.documents]
        known = [when for when in stated if when is not None]
        surest = [when.period for when in known if when.known != "inferred"] or [when.period for when in known]
        return _commonest_period(surest) if surest else None

    @property
    def _most_shared(self) -> Period | None:
        """The day of the main event that most documents, and at least half, tell of; a stated day comes first."""
        known = self._circumstances
        found: list[tuple[bool, int, int, Period]] = []
        for members in self._clusters(EVENT):
            count = len({mention.document for mention in members})
            main = [mention for mention in members if known.is_main(mention)]
            when = known.of_some(main).when if main and 2 <= count >= len(self.documents) / 2 else None
            whole = known.of(members[0]).when
            if when is not None and (whole is None or when.period.contains(whole.period) or not whole.stated):
                when = whole  # more exact, or corrected
            if when is not None and when.period.weekday is None and when.period.days <= _LONGEST_MAIN:
                found.append((when.known == "inferred", -count, -len(main), when.period))
        return min(found, key=itemgetter(0, 1, 2))[3] if found else None

    @cached_property
    def timeline(self) -> tuple[StoryEvent, ...]:
        """Its events in the order in which they happened; those whose day is unknown, by when they were reported.

        Events of several documents; of a story of one document, those that it mentions several times, or whose day it
        states. Events whose words mean little alone ("said", "made") are left out.
        """
        several = len(self.documents) > 1
        chosen = [
            (self._event(members), members)
            for members in self._clusters(EVENT)
            if (len({m.document for m in members}) > 1 if several else self._is_of_timeline(members))
            and self._context.tells(members)
            and self._happened(members)
        ]
        return tuple(self._with_other_sentences(sorted(chosen, key=lambda pair: _time_key(pair[0]))))

    @cached_property
    def one_source(self) -> tuple[StoryEvent, ...]:
        """Events that one document alone tells of, with a time, place or number of their own.

        One for each sentence, in the order of the documents and of the text; none if the story is one document.
        """
        if len(self.documents) < 2:
            return ()
        found: dict[tuple[int, tuple[int, int]], list[Mention]] = {}
        for members in self._clusters(EVENT):
            first = members[0]
            if len({m.document for m in members}) == 1 and self._context.tells(members) and self._stands_out(members):
                sentence = self._documents[first.document].sentence_at(first.start)
                found.setdefault((self._rank[first.document], sentence), members)
        return tuple(self._event(found[place]) for place in sorted(found))

    @cached_property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Events for which documents state different numbers of the same thing, different days, or different places.

        Only what is stated in the clause of an event counts; see :mod:`cdcoref.reports.disagreements`.
        """
        return () if len(self.documents) < 2 else tuple(disagreements(self._context))

    @cached_property
    def numbers(self) -> tuple[NumberLine, ...]:
        """The quantities that change from one report to the next, such as the people killed: one line a quantity."""
        return () if len(self.documents) < 2 else tuple(StoryNumbers(self._context).lines())

    @cached_property
    def _context(self) -> StoryContext:
        return StoryContext(self._in_order, self._circumstances)

    def to_dict(self) -> dict[str, Any]:
        """The story as plain values, for JSON: days as in ISO 8601, with ``XXXX`` for an unknown year."""
        return {
            "number": self.number,
            "title": self.title,
            "documents": list(self.documents),
            "who": list(self.who),
            "where": self.where or None,
            "when": None if self.when is None else str(self.when),
            "timeline": [_event_values(event) for event in self.timeline],
            "numbers": [
                {
                    **{"label": line.label, "unit": line.unit, "cluster": line.cluster},
                    "reports": [{**asdict(one), "day": one.day and str(one.day)} for one in line.reports],
                }
                for line in self.numbers
            ],
            "one_source": [_event_values(event) for event in self.one_source],
            "disagreements": [asdict(one) for one in self.disagreements],
        }

    def headline_of(self, document: str) -> str:
        """By what readers know a document: its title, or its first sentence, cut if long; its id if it has no text."""
        return self._headline(self._documents[document]) or document

    def published_by(self, document: str) -> str:
        """Who published a document, as its metadata ``source`` says; empty if unknown."""
        return " ".join(metadata_text(self._documents[document].metadata.get("source")).split())

    def source_of(self, document: str) -> str:
        """Who published a document, or else its headline."""
        return self.published_by(document) or self.headline_of(document)

    def day_of(self, document: str) -> Period | None:
        """The day of a document; None if unknown."""
        return self._days[document]

    def _is_of_timeline(self, members: Sequence[Mention]) -> bool:
        """Whether the one document of a story mentions an event several times, or states its day."""
        when = self._circumstances.of(members[0]).when
        return len(members) > 1 or (when is not None and when.known != "inferred")

    def _happened(self, members: Iterable[Mention]) -> bool:
        """Whether a mention of an event does not say that it did not happen."""
        known = ((self._circumstances.parsed_readings[m.document].parse, m) for m in members)
        return any(not did_not_happen(parse, parse.head_of(mention.tokens)) for parse, mention in known)

    def _with_other_sentences(self, events: Sequence[tuple[StoryEvent, list[Mention]]]) -> Iterator[StoryEvent]:
        """Events with a sentence that no event before shows, if there is one that is nearly as good."""
        shown: set[tuple[str, str]] = set()
        dated = any(event.when_text for event, _ in events)
        for event, members in events:
            best = event.best
            if (best.document, best.sentence) in shown:
                most = max(map(self._weight, members))
                others = [
                    mention
                    for mention in members
                    if (mention.document, self._sentence(mention)) not in shown
                    and self._weight(mention) >= _NEARLY_BEST * most
                ]
                best = self._best(others) if others else best
            minor = event.minor or (best.document, best.sentence) in shown
            shown.add((best.document, best.sentence))
            yield replace(event, best=best, minor=minor, undated=dated and not event.when_text)

    def _order(self, name: str) -> tuple[bool, bool, tuple[bool, date], list[tuple[int, str]], str]:
        day = self._days[name]
        if day is not None and not day.has_year and self._first_year is not None:
            day = day.near(self._first_year)
        parts = enumerate(_NUMBER.split(name))  # text and numbers by turns
        by_number = [(len(part.lstrip("0")), part.lstrip("0")) if place % 2 else (0, part) for place, part in parts]
        first = (False, date.min) if day is None else _first_day(day)
        return not self._documents[name].tokens, day is None, first, by_number, name

    @cached_property
    def _in_order(self) -> Corpus:
        """The corpus with its documents in the order of the story, so that nothing depends on the order given."""
        mentions = self.corpus.by_document()
        own = tuple(mention for name in self.documents for mention in mentions[name])
        return replace(self.corpus, documents=tuple(map(self._documents.__getitem__, self.documents)), mentions=own)

    @cached_property
    def _reporters(self) -> frozenset[str]:
        known = (d.metadata.get(name) for d in self.corpus.documents for name in ("author", "source"))
        values = (one for value in known for one in (value if isinstance(value, list) else [value]))
        return frozenset(str(value).casefold().removeprefix("by ").strip() for value in values if value)

    @cached_property
    def _days(self) -> dict[str, Period | None]:
        return {document.id: day_of(document) for document in self.corpus.documents}

    @cached_property
    def _first_year(self) -> Period | None:
        return min(
            (day for day in self._days.values() if day and day.has_year), key=lambda day: day.first, default=None
        )

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.documents)}

    def _clusters(self, kind: str) -> Iterator[list[Mention]]:
        for members in self._in_order.clusters():
            if members[0].kind == kind:
                yield sorted(members, key=lambda m: (self._rank[m.document], m.tokens))

    def _stands_out(self, members: Iterable[Mention]) -> bool:
        for mention in members:
            own = self._circumstances.of_mention(mention)
            near = [one.source for one in own.when] + [one.source for one in own.where]
            if mention in self._counted or Source.STATED in near:
                return True
        return False

    @cached_property
    def _counted(self) -> frozenset[Mention]:
        stated = (one for id in self.documents for one in self._circumstances.quantities(id))
        return frozenset(one.event for one in stated if one.event is not None and not one.superseded)

    def _event(self, members: Sequence[Mention]) -> StoryEvent:
        own, label = self._circumstances.of(members[0]), self._circumstances.name(members[0])
        reported = [day for m in members if (day := self._days[m.document]) is not None]
        documents = tuple(sorted({m.document for m in members}, key=self._rank.__getitem__))
        return StoryEvent(
            members[0].cluster,
            label,
            None if own.when is None else own.when.period,
            min(reported, key=_first_day, default=None),
            "" if own.where is None else str(own.where),
            documents,
            self._best(members),
            mean_confidence(members),
            is_bare(members, label, self._circumstances.parsed_readings),
            when_known=None if own.when is None else own.when.known,
        )

    def _best(self, members: Sequence[Mention]) -> Statement:
        """The sentence of a mention that names most of what many documents of the story name."""
        telling = telling_mentions(members, self._circumstances.parsed_readings)
        best = max(telling, key=lambda m: (self._weight(m), -self._rank[m.document], -m.start))
        return Statement(best.document, "", self._sentence(best))

    def _weight(self, mention: Mention) -> float:
        start, end = self._documents[mention.document].sentence_at(mention.start)
        named = {
            key: count
            for token in range(start, end)
            for key, count in self._widely_mentioned.get((mention.document, token), ())
        }
        return sum(named.values()) / max(1.0, (end - start) / _LONG_SENTENCE)

    @cached_property
    def _widely_mentioned(self) -> dict[tuple[str, int], list[tuple[tuple[str | None, str], int]]]:
        """By the place where mentions begin: their clusters, and in how many documents these are."""
        named: defaultdict[tuple[str, int], list[tuple[tuple[str | None, str], int]]] = defaultdict(list)
        for members in self._in_order.clusters():
            if members[0].cluster is not None and (count := len({m.document for m in members})) > 1:
                for mention in members:
                    named[mention.document, mention.start].append(((mention.kind, members[0].cluster), count))
        return dict(named)

    def _have_name(self, members: Sequence[Mention]) -> bool:
        """Whether something is called by a name: capitalised elsewhere than at the beginning of a sentence."""
        for mention in members:
            document = self._documents[mention.document]
            first = document.sentence_at(mention.start)[0]
            named = mention.end - 1 > first and document.tokens[mention.end - 1][:1].isupper()
            in_header = first < _HEADER and is_header_line(document.sentence_text(mention.start))
            if named and not in_header and not says_little(mention, document):
                return True
        return False

    def _sentence(self, mention: Mention) -> str:
        return self._documents[mention.document].sentence_text(mention.start)

    def _headline(self, document: Document) -> str:
        """The title of a document; if it has none its first sentence, cut if it is long."""
        title = " ".join(str(document.metadata.get("title") or "").split())
        if title and not is_header_line(title):
            return title
        shown = [bounds for number, bounds in enumerate(document.sentences) if number not in document.hidden]
        passages = (document.passage(first, last) for first, last in shown if first < last)
        passage = next((p for p in passages if not (is_header_line(p) or p.startswith(("http", "www.")))), "")
        words = passage.split()
        return passage if len(words) <= LONGEST_TITLE else " ".join(words[:_WORDS_OF_SENTENCE]) + " …"

    def _content(self, document: Document) -> frozenset[str]:
        """What the words of a document are forms of."""
        shown = (bounds for number, bounds in enumerate(document.sentences) if number not in document.hidden)
        return _lemmas(token for first, last in shown for token in document.tokens[first:last])


def _is_where_something_is(nouns: Sequence[tuple[Parse, int]]) -> bool:
    """Whether a name occurs only behind prepositions of place ("at Velm", "near Velm"); no full name of a person."""
    if any(parse.entity_types[noun] == "PERSON" and parse.below(noun, "compound") for parse, noun in nouns):
        return False
    above = ((parse.relations[noun], parse.lemma(parse.heads[noun])) for parse, noun in nouns)
    roles = {word if relation == "pobj" else relation for relation, word in above}
    return not roles.isdisjoint(_BEFORE_PLACES) and roles <= _BEFORE_PLACES | {"of", "compound"}


def _is_of_who(label: str) -> bool:
    """Whether a name may be somebody's: no agency of a report, word of a headline ("FUNDS"), single noun or place."""
    name = label.casefold().replace("’", "'")
    words = name.split()
    if words[-1].rstrip(".") in _PLACES_TO_BE or words[-1] in _NOBODY or name in _HOLIDAYS:
        return False
    if words[-1] in _OFFICES and not names_a_person(words):  # "Apple CEO"
        return False
    if countries_named(words) or (words[-1] in _JOBS and all(map(is_common_word, words))):  # "Coach driver"
        return False
    # "I.", and codes of shares, such as "CAWL.L"
    is_code = len(label.rstrip(".")) == 1 or re.fullmatch(r"[A-Z]{2,5}\.[A-Z]{1,2}", label) is not None
    return len(words) > 1 or not (is_code or is_common_word(words[0]) or state_shortened(label) is not None)


def _lemmas(words: Iterable[str]) -> frozenset[str]:
    bare = (word.strip(".,:;!?'\"“”‘’()[]").casefold() for word in words)
    return frozenset(lemma(word) for word in bare if len(word) > 3)


def _commonest_period(periods: Sequence[Period]) -> Period:
    """The period within most of the others, with a year if one states it; the shortest, then the earliest."""
    lengths = {one: one.days if one.weekday is None else 1 for one in periods}

    def within(one: Period) -> int:
        return sum(one.gap(other) == 0 and lengths[one] <= lengths[other] for other in periods)

    return max(periods, key=lambda one: (within(one), one.has_year, -lengths[one], -one.first.toordinal()))


def _commonest_place(places: Sequence[Place]) -> Place:
    """The place that is stated most often in the country of most places; of equally many, one within another."""
    countries = Counter(place.country or place.name for place in places)
    most = max(countries, key=countries.__getitem__)
    counts = Counter(place for place in places if most in (place.country, place.name))
    return max(counts, key=lambda one: (counts[one], sum(other.contains(one) for other in counts)))


def _time_key(event: StoryEvent) -> tuple[int, date, date]:
    known = event.when is not None and event.when.weekday is None
    time = event.when if known else event.reported
    if time is None:
        return 2, date.max, date.max
    return *_first_day(time), time.last


def _first_day(time: Period) -> tuple[bool, date]:
    """A key by time. Days without a year are those of texts that state none: as a rule the present ones."""
    return not time.has_year, time.first


def _event_values(event: StoryEvent) -> dict[str, Any]:
    return {
        "cluster": event.cluster,
        "label": event.label,
        "when": None if event.when is None else str(event.when),
        "when_known": event.when_known,
        "reported": None if event.reported is None else str(event.reported),
        "where": event.where or None,
        "documents": list(event.documents),
        "document": event.best.document,
        "sentence": event.best.sentence,
        "confidence": event.confidence,
    }


def stories_of(
    corpus: Corpus, stories: Mapping[int, Sequence[str]], circumstances: CorpusCircumstances | None = None
) -> tuple[PredictedStory, ...]:
    """The stories of a corpus."""
    documents = {document.id: document for document in corpus.documents}
    mentions = corpus.by_document()
    circumstances = circumstances or CorpusCircumstances(corpus)
    found = []
    for number, names in stories.items():
        own = [mention for name in names for mention in mentions[name]]
        part = replace(corpus, documents=tuple(documents[name] for name in names), mentions=tuple(own))
        found.append(PredictedStory(number, part, circumstances))
    return tuple(found)
