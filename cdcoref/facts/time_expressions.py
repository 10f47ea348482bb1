"""Expressions of time: the words of a sentence and the day of its document in, periods with their words out. What is
relative counts from the day of the document, or from the time that was stated before ("two days later")."""

from __future__ import annotations

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dateutil.easter import easter

from cdcoref.facts.period import UNKNOWN_YEAR, Period
from cdcoref.word_tables import rows, words_in

Ahead = Callable[[int], bool | None]
"""Whether what happens at the time that begins at a word is still to come, by tense; None if no verb says."""


@dataclass(frozen=True, slots=True)
class StatedTime:
    """A time in a sentence.

    `start`, `end`: Its words in the sentence, end exclusive.
    `period`: What it means; None if that is unknown.
    `looks_back`: Whether it looks back to another year than the document's ("in 2017", "last year").
    `weekday`: The day of the week, from 0 for Monday, where that is all that is known of the period.
    `days`: For "three days before ...", how many days later than what follows (-3); else 0.
    """

    start: int
    end: int
    period: Period | None
    looks_back: bool = False
    weekday: int | None = None
    days: int = 0


@dataclass(frozen=True, slots=True)
class _Expression:
    """An expression where a rule matches it; `base` is the last stated time, `base_start` -1 if in another sentence."""

    match: re.Match[str]
    today: Period | None
    base: Period | None
    ahead: bool | None
    base_start: int = -1

    def __getitem__(self, group: str) -> str:
        """What a group of the pattern matched, in lower case; empty if nothing."""
        return (self.match.groupdict().get(group) or "").casefold()

    @property
    def before(self) -> str:
        """The word before it, in lower case."""
        return (self.match.string[: self.match.start()].split() or [""])[-1].casefold()

    @property
    def after(self) -> str:
        """The text behind it."""
        return self.match.string[self.match.end() :]

    @property
    def known(self) -> date | None:
        """The day of the document, if it is a single day of a known year."""
        return self.today.first if self.today is not None and self.today.has_year and self.today.days == 1 else None

    @property
    def step(self) -> int | None:
        """How far "last", "this" or "next" goes; None without such a word."""
        words = (self["step"] or self["back"] or self["beyond"]).split()
        return _STEPS[words[-1]] if words else None

    @property
    def states_year(self) -> bool:
        """Whether it has the year of ``{of_year}``."""
        return bool(self["year"] or self["which"])

    @property
    def year(self) -> int | None:
        """This year: in figures, or "last year"; None if that is unknown."""
        if self["year"]:
            return int(self["year"])
        today = _dated(self.today)
        return None if today is None else today.first.year + _STEPS[self["which"]]


def _dated(period: Period | None) -> Period | None:
    return period if period is not None and period.has_year else None


_NUMBERS = {row["word"]: row["value"] for row in rows("numbers.tsv")}
_COUNTS = {word: int(value) for word, value in _NUMBERS.items() if value.isdecimal()}
_ORDINALS = {word: int(value[:-2]) for word, value in _NUMBERS.items() if not value.isdecimal()}
_HOLIDAYS = {row["name"].replace("'", "’"): (row["first"], row["last"]) for row in rows("holidays.tsv")}
_MONTHS = {name: number for number, name in enumerate(month_name) if name}
_SHORT = {name: number for number, name in enumerate(month_abbr) if name} | {"Sept": 9}
_WEEKDAYS = {name: number for number, name in enumerate(day_name)}
_SHORT_DAYS = {name: number for number, name in enumerate(day_abbr)} | {"Tues": 1, "Thurs": 3, "Thur": 3}
_UNIT_DAYS = {"day": 1, "night": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365, "decade": 3652}
_UNIT_DAYS |= dict.fromkeys(("century", "centurie"), 36524) | dict.fromkeys(("hour", "minute", "second", "moment"), 0)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "following": 1}
_DAYS_AWAY = {"before last": -2, "before yesterday": -2, "yesterday": -1, "last": -1, "tomorrow": 1}
_SET = words_in("time_words.tsv", "set")
_WORDS_BEFORE = 8
_REPEATED = {*_ORDINALS, "each", "every"} - {"last"}
_SOON, _AHEAD = 3, 60
"""Days: what is so near is this year's; what lies between so near and so far ahead may be either year's."""
_MOST_YEARS_AHEAD = 30
_LONGEST_HOLIDAY = 4


def _either(words: object) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


_OF_MATCH = re.compile(rf"\b(?i:{_either(words_in('time_words.tsv', 'match'))})\b")


def _cased(names: Sequence[str]) -> str:
    return _either([form for name in names for form in (name, name.upper())])


_HOLIDAY = _either(_HOLIDAYS).replace("’", " ?’").replace(r"\ ", " ").replace("the ", "")
_DAY_MONTH = _cased([*_MONTHS])
_PARTS = {
    "month": rf"(?P<month>(?:{_DAY_MONTH})|(?:{_cased([*_SHORT])})(?: ?\.)?)",
    "full": rf"(?P<month>{_DAY_MONTH}|(?:{_cased([*_SHORT])})\.)",
    "weekday": rf"(?P<weekday>(?:{_cased([*_WEEKDAYS])})|(?:{_cased([*_SHORT_DAYS])}) ?\.)",
    "day": r"(?P<day>0?[1-9]|[12]\d|3[01])(?: ?(?i:st|nd|rd|th))?",
    "to": r"(?: ?(?:[-–]|to|and) ?(?P<to>[1-9]|[12]\d|3[01]))?",
    "year": r"(?P<year>1[5-9]\d\d|20\d\d|1[0-4]\d\d(?= [.,;:)]|$))",  # not "in May 1200 homes"
    "ordinal": rf"(?P<ordinal>(?i:{_either(_ORDINALS)})|\d\d?(?:st|nd|rd|th))",
    "count": rf"(?P<count>(?i:{_either(_COUNTS)})|\d{{1,3}})",
    "some": r"(?i:several|a few|many|some|a number of)",
    "unit": r"(?P<unit>(?i:day|night|week|fortnight|month|year|decade|century|centurie))(?i:s)?",
    "step": r"(?P<step>(?i:last|past|this past|this coming|this|current|next|coming|previous|following))",
    "daypart": r"(?: (?i:morning|afternoon|evening|night|noon|midnight|lunchtime|midday|dawn|overnight))*",
    "extent": r"(?P<extent>(?i:early|mid|middle|late|beginning|start|end))",
    "season": r"(?P<season>(?i:spring|summer|autumn|fall|winter))",
}
_PARTS["beginning"] = rf"(?:(?:(?i:the) )?{_PARTS['extent']}(?: (?i:of) | ?- ?| )(?:(?i:the) )?)?"
_PARTS["of_year"] = (
    rf"(?:(?: ,| of| in)? {_PARTS['year']}|(?: of)? "
    r"(?P<which>(?i:last|this|next)) (?i:year))"
)
_PARTS["of_month"] = (
    rf"(?:{_PARTS['month']}{_PARTS['of_year']}?|"
    r"(?P<whichmonth>(?i:last|this|next|the previous|the following)) (?i:month))"
)

_Resolver = Callable[[_Expression], "Period | StatedTime | None"]
_RULES: list[tuple[re.Pattern[str], _Resolver]] = []
_UNKNOWN = StatedTime(0, 0, None)
"""An expression of time without a value."""


def _rule(*templates: str) -> Callable[[_Resolver], _Resolver]:
    """Add a way to read expressions that match any of some patterns; ``{month}`` and the like stand for `_PARTS`."""

    def add(resolver: _Resolver) -> _Resolver:
        for template in templates:
            pattern = re.sub(r"\{([a-z_]+)\}", lambda match: _PARTS[match[1]], template)
            _RULES.append((re.compile(rf"(?<![^ ]){pattern}(?![^ ])"), resolver))
        return resolver

    return add


def times_in(
    words: Sequence[str], today: Period | None, before: Period | None = None, ahead: Ahead = lambda word: None
) -> list[StatedTime]:
    """The times of a sentence, in order; none overlap.

    `words`: The sentence, in sentence case.
    `today`: The day of its document, or the span of days that it may be of; None if unknown.
    `before`: The last time that was stated before the sentence, which "two days later" refers to.
    `ahead`: Whether what happens at a time is still to come.
    """
    text = " ".join(words).replace("'", "’")
    if not _MAY_STATE.search(text):
        return []
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    edges = {start: number for number, start in enumerate(starts)}
    matches = sorted(
        (
            (match.start(), -match.end(), number, match)
            for number, (pattern, _) in enumerate(_RULES)
            for match in pattern.finditer(text)
            if match.start() in edges and match.end() + 1 in edges
        ),
        key=lambda item: item[:3],
    )
    found: list[StatedTime] = []
    position, base, base_start = 0, before, -1
    for start, _, number, match in matches:
        if start < position:
            continue
        first, end = edges[start], edges[match.end() + 1]
        result = _RULES[number][1](_Expression(match, today, base, ahead(first), base_start))
        if result is None:
            continue
        if isinstance(result, Period):
            result = StatedTime(first, end, result, _looks_back(result, today))
        result = replace(result, start=first, end=end)
        if result.period is not None and result.period.weekday is None:
            base, base_start = result.period, start
        position = match.end() + 1
        whole = _joined(found[-1], result, words) if found else None
        if whole is not None:
            found[-1] = whole
            base = whole.period
        else:
            found.append(result)
    return found


_MAY_STATE = re.compile(
    rf"\d|\b(?:{_DAY_MONTH}|{_cased([*_SHORT])}|{_cased([*_WEEKDAYS])}|{_cased([*_SHORT_DAYS])})\b|\b(?i:day|week|month|"
    rf"year|decade|centur|quarter|half|spring|summer|autumn|fall|winter|today|tonight|yesterday|tomorrow|(?:over)?night|morning|"
    rf"afternoon|evening|fortnight|hour|eve of|ago)|\w+ies\b|{_HOLIDAY}"
)


def _looks_back(period: Period, today: Period | None) -> bool:
    if today is None or not (today.has_year and period.has_year):
        return False
    return period.last.year < today.first.year and (today.first - period.last).days > _AHEAD


def _joined(one: StatedTime, other: StatedTime, words: Sequence[str]) -> StatedTime | None:
    """The time "between 2021 and 2023", "Monday and Tuesday", or "the day after Christmas"; None for separate times."""
    if other.start == one.end and abs(one.days) in range(1, 28) and words[other.start] != "the":
        if other.period is None or other.period.days > _LONGEST_HOLIDAY:
            return None
        day = other.period.first + timedelta(other.period.days // 2 + one.days)
        return replace(other, start=one.start, period=Period.of_day(day))
    before = words[one.start - 1].casefold() if one.start else ""
    between = words[one.end].casefold() if other.start == one.end + 1 else ""
    if one.period is None or other.period is None or one.period.has_year != other.period.has_year:
        return None
    if one.period.first > other.period.last:
        return None
    joined = between in ("to", "until", "till", "through", "-", "–") if before == "from" else between == "and"
    is_next = between == "and" and {words[one.start], words[other.start]} <= _WEEKDAYS.keys()
    is_next = is_next and "".join(words[other.end : other.end + 1]) in ("", ".", ",", ";")
    is_next = is_next and (other.period.first - one.period.last).days == 1
    if not ((before in ("from", "between") and joined) or is_next):
        return None
    return replace(one, end=other.end, period=Period(one.period.first, other.period.last))


def _made(year: int, month: int, day: int) -> Period | None:
    try:
        return Period.of_day(date(year, month, day))
    except ValueError:
        return None


@_rule(
    r"{year} ?[-/.] ?(?P<number>0?[1-9]|1[0-2]) ?[-/.] ?{day}",
    r"(?P<one>\d\d?) ?(?P<sign>[/.]|(?<=\d)-(?=\d)) ?(?P<two>\d\d?) ?(?P=sign) ?(?P<full>(?:1[5-9]|20)\d\d|\d\d)",
)
def _figures(time: _Expression) -> Period | None:
    """``2014-06-15``, ``15.06.2014``, ``6/15/2014``, ``25/6/2014``."""
    if time["year"]:
        return _made(int(time["year"]), int(time["number"]), int(time["day"]))
    one, two, year = int(time["one"]), int(time["two"]), int(time["full"])
    if year <= 99:
        if time["sign"] == ".":
            return None
        year += 2000 if year < 50 else 1900
    return _made(year, two, one) if time["sign"] != "/" or one > 12 else _made(year, one, two)


def _month_number(name: str) -> int:
    return _SHORT[name[:3].title()]


def _year_of(time: _Expression, month: int, day: int | None) -> int | None:
    """The year of a month or day: stated, or the nearest by tense; None if it may be either of two."""
    if time.states_year:
        return time.year
    if (today := _dated(time.today)) is None:
        return UNKNOWN_YEAR
    year = today.last.year
    ahead = (date(year, month, min(day or 1, 28)) - today.last).days
    if time.ahead or (time.before in ("from", "until", "till") and 0 < ahead <= _AHEAD):  # "a strike from 7 October"
        return year + (ahead < (-_AHEAD if day else -45))
    if time.ahead is None and _SOON < ahead <= _AHEAD:
        return None
    return year - (ahead > _SOON)


def _month_of(time: _Expression) -> Period | None:
    if which := time["whichmonth"].split():
        base = _dated(time.base if which[0] == "the" else time.today)
        return base and Period.of_month(base.first.year, base.first.month + _STEPS[which[-1]])
    month = _month_number(time["month"])
    year = _year_of(time, month, None)
    return None if year is None else Period.of_month(year, month)


_COUNTED = re.compile(r" (?!(?:was|is|has|as)\b)(?:[a-z]+s|people|men|women)(?: |$)")
"""What follows a number that is no date ("about 2000 dollars", "in March 12 ships sailed")."""


@_rule(
    r"(?:{weekday} ?,? )?(?:(?i:the) )?{day}{to}(?: (?i:of))? {month}{of_year}?",
    r"(?:{weekday} (?:[,(] )?)?{month}(?: |(?<=\.))(?:(?i:the) )?{day}{to}{of_year}?",
    r"(?:{weekday} ?,? )?(?i:the) {ordinal} (?i:of) {month}{of_year}?",
)
def _day_and_month(time: _Expression) -> Period | StatedTime | None:
    """``March 5 , 2024``, ``Tuesday , 5 March``, ``the 5th of March``, ``May 3-5``."""
    month, day = _month_number(time["month"]), _ordinal(time["day"] or time["ordinal"])
    if time.match[0].endswith(time["day"] or "-") and _COUNTED.match(time.after):
        return None
    year = _year_of(time, month, day)
    if year is None:
        return _UNKNOWN
    period = _made(year, month, day)
    before = time.match.string[: time.match.start()]
    if period is not None and (week := re.search(r"\b(?i:week) (?:(of|beginning)|to|ending) $", before)):
        return _week(period.first) if week[1] else Period(period.first - timedelta(6), period.last)
    if period is not None and time["to"]:
        last = _made(year, month, int(time["to"]))
        return None if last is None or last.first < period.first else Period(period.first, last.last)
    return period


@_rule(r"{beginning}{full}{of_year}?", r"{month} ,? ?{year}")
def _month(time: _Expression) -> Period | StatedTime | None:
    """``March 2024``, ``early March``, ``last March``, ``the end of March``."""
    if time["extent"] and re.match(r" \d\d?\b", time.after):
        return None  # "early May 12"
    plain = not (time.states_year or time["extent"])
    if plain and time.before in _REPEATED:  # "every September"
        return _UNKNOWN
    is_unclear = time["month"] in ("march", "may") or time["month"].endswith(".")
    if plain and is_unclear and time.before not in _BEFORE_MONTH:
        return None
    number = _month_number(time["month"])
    today, base = _dated(time.today), _dated(time.base)
    if plain and time.before in ("last", "next") and today is not None:
        passed = number <= today.last.month if time.before == "next" else number < today.last.month
        period: Period | None = Period.of_month(today.last.year + passed - (time.before == "last"), number)
    elif plain and time.before == "that" and base is not None and _AFTER_REFERENCE.match(time.after):
        period = Period.of_month(base.first.year, number)
    else:
        period = _month_of(time)
    return _UNKNOWN if period is None else _part(period, time["extent"])


_AFTER_REFERENCE = re.compile(
    r" *(?:$|[^\w ]|(?:after|and|as|at|because|before|but|for|from|he|in|it|she|the[ny]?|when|while)\b)"
)
"""What follows "that November" if "that" refers to a year; not "said that November sales fell"."""
_BEFORE_MONTH = frozenset(
    {"in", "since", "of", "from", "until", "till", "by", "during", "through", "last", "next", "this", "that", "early"}
    | {"late", "mid", "before", "after", "and", "to", "between", "for", ","}
)


def _part(period: Period, extent: str) -> Period:
    """The beginning, middle or end of a week (2 days), a month (10 days) or a longer period (a third of its months)."""
    if not extent:
        return period
    third = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}[extent]
    year = period.first.year
    if period.days <= 31:
        length = 10 if period.days > 7 else 2
        first = period.first + timedelta(length * third)
        return Period(first, period.last if third == 2 else first + timedelta(length - 1))
    if period.days <= 366:
        return Period.of_month(year, period.first.month + 4 * third, 4)
    bounds = (0, 4, 7, 10) if period.last.year - year < 10 else (0, 34, 67, 100)
    return Period.of_month(year + bounds[third], 1, 12 * (bounds[third + 1] - bounds[third]))


def _ordinal(word: str) -> int:
    return _ORDINALS[word] if word in _ORDINALS else int(re.sub(r"\D", "", word))


@_rule(
    r"(?:(?i:the) )?{ordinal} (?P<name>(?i:day|week|weekend|half)|{weekday}) (?i:of|in) {of_month}",
    r"(?:(?i:the) )?{ordinal} (?P<name>(?i:day|week|weekend)|{weekday}) (?i:of) (?P<this>(?i:the month))",
    r"(?i:the) {ordinal} {count} (?i:days) (?i:of) {of_month}",
    r"(?i:the) {ordinal} (?i:of) (?P<whichmonth>(?i:last|this|next|the following)) (?i:month)",
)
def _nth_day(time: _Expression) -> Period | StatedTime | None:
    """``the second Tuesday of next month``, ``the last day of the month``, ``the first week of August``."""
    base = _dated(time.base if time.base_start >= 0 else time.today) if time["this"] else _month_of(time)
    if base is None:
        return _UNKNOWN
    month = Period.of_month(base.first.year, base.first.month)
    number = _ordinal(time["ordinal"])
    if time["name"] == "weekend":
        saturday = _nth_weekday(month, number, _SHORT_DAYS["Sat"])
        return saturday and Period(saturday.first, saturday.first + timedelta(1))
    if time["name"] == "week":
        first = month.first + timedelta(7 * (number - 1)) if number > 0 else month.last - timedelta(6)
        return Period(first, min(first + timedelta(6), month.last))
    if time["name"] == "half":
        middle = month.first + timedelta(15)
        return Period(month.first, middle - timedelta(1)) if number == 1 else Period(middle, month.last)
    if time["weekday"]:
        return _nth_weekday(month, number, _weekday_number(time["weekday"]))
    if time["count"] and number in (1, -1):  # "the last two days of May"
        days = timedelta(_count(time["count"]) - 1)
        first = month.first if number > 0 else month.last - days
        return Period(first, first + days)
    return _made(month.first.year, month.first.month, month.days if number < 0 else number)


def _nth_weekday(month: Period, number: int, weekday: int) -> Period | None:
    days = [day for n in range(month.days) if (day := month.first + timedelta(n)).weekday() == weekday]
    place = number - (number > 0)
    return Period.of_day(days[place]) if -len(days) <= place < len(days) else None


def _weekday_number(name: str) -> int:
    return _SHORT_DAYS[name[:3].title()]


@_rule(
    r"(?:{weekday} ?,? (?:(?i:the) )?|(?i:the) )(?P<day>0?[1-9]|[12]\d|3[01])(?i:st|nd|rd|th)"
    r"(?= (?:[.,;:)]|and |at |when |that )|$)"
)
def _bare_day(time: _Expression) -> Period | None:
    """``on the 12th``, ``Tuesday the 12th``, ``Friday 13th``."""
    if (time.before != "on" and not time["weekday"]) or (today := time.known) is None:
        return None
    for step in (0, 1 if time.ahead else -1):
        month = Period.of_month(today.year, today.month + step)
        period = _made(month.first.year, month.first.month, int(time["day"]))
        if period is not None and (period.first >= today if time.ahead else period.first <= today):
            return period
    return None


@_rule(
    r"{weekday}{daypart} (?:(?i:of) )?{step} (?i:week)",
    r"{step} (?i:week) (?:(?i:on) )?{weekday}{daypart}",
    r"{count} (?:(?i:weeks?)|(?P<double>(?i:fortnights?))) (?:(?i:from|on) )?"
    r"(?P<from>(?i:today|tomorrow|(?<=from )now|yesterday)|{weekday})",
    r"{weekday} (?:week|(?P<double>fortnight))(?= |$)",
    r"{count} (?P<days>(?i:days?)) (?i:from) (?P<from>(?i:today|tomorrow|now))",
    r"(?P<near>(?i:today|tomorrow|yesterday)) (?:week|(?P<double>fortnight))",
    r"{count} (?i:weeks?) (?P<back>(?i:ago(?: on| last)?|last)) (?:{weekday}|(?P<from>(?i:today|yesterday)))",
)
def _weeks_from(time: _Expression) -> Period | StatedTime | None:
    """``Monday next week``, ``a week from Tuesday``, ``Friday fortnight``, ``a week last Monday``."""
    if (today := time.known) is None:
        return _UNKNOWN
    if time["step"]:
        return Period.of_day(_week(today).first + timedelta(7 * (time.step or 0) + _weekday_number(time["weekday"])))
    days = _count(time["count"]) * (1 if time["days"] else 14 if time["double"] else 7) * (-1 if time["back"] else 1)
    if time["weekday"]:
        ahead = (_weekday_number(time["weekday"]) - today.weekday()) % 7
        days += -(-ahead % 7) if time["back"] else ahead or 7
    elif time["near"] == "yesterday":  # "yesterday week"
        days = -1 - days
    else:
        days += {"tomorrow": 1, "yesterday": -1}.get(time["near"] or time["from"], 0)
    return Period.of_day(today + timedelta(days))


def count_named(word: str) -> int | None:
    """The number that a word in lower case is ("3", "three", "a"); None for any other."""
    return int(word) if word.isdecimal() and len(word) <= 3 else _COUNTS.get(word)


def days_of_unit(word: str) -> int | None:
    """The days of a unit of time, in singular or plural; 0 for hours and minutes, None for any other word."""
    return _UNIT_DAYS.get(word.removesuffix("s"))


def _count(word: str) -> int:
    """The number that a word is; 1 for none."""
    return count_named(word or "a") or 0


@_rule(
    r"(?:{step} |(?i:the) (?P<back>(?i:previous|following|next)) )?{weekday}{daypart}",
    r"(?:(?i:the) )?{weekday} (?P<beyond>(?i:before last|after next))",
    r"{count} {weekday}s (?P<ago>(?i:ago))",
    r"{weekday} (?P<step>(?i:last|next))(?= (?:[.,;:)]|and )|$)",
    r"(?i:the) {weekday} (?P<unknown>(?i:before|after))",
)
def _weekday(time: _Expression) -> Period | StatedTime | None:
    """``Sunday``, ``last Sunday``, ``this coming Friday``, ``Sunday night``, ``the Sunday before last``."""
    if time["unknown"] or time.before in _REPEATED:  # "the Sunday before the vote", "every Sunday"
        return _UNKNOWN
    number, step, today = _weekday_number(time["weekday"]), time.step, time.today
    if time.before == "the" and step is None and re.match(" [A-Z][a-z]", time.after):
        return None  # "the Sunday Times"
    if today is None:
        return StatedTime(0, 0, None, weekday=number)
    behind = (today.first.weekday() - number) % 7
    if time["ago"]:  # "three Sundays ago"
        return today.shifted(-(behind or 7) - 7 * (_count(time["count"]) - 1))
    words = time.match.string[: time.match.start()].casefold().split()[-_WORDS_BEFORE:]
    is_set = time.before == "for" and not _SET.isdisjoint(words)  # "a warning was issued for Thursday"
    future = step > 0 if step else time.ahead is not False if step == 0 else bool(time.ahead) or is_set
    if not today.has_year or today.days > 1:
        return Period(today.first, today.last + timedelta(6)) if future else _days_before(today, 6)
    days = -behind % 7 if future else -behind
    if step and days in (0, 1):  # not the day itself, nor is tomorrow "next Thursday"
        days += 7 * step
    return today.shifted(days + 7 * (step or 0) if time["beyond"] else days)


@_rule(
    r"(?i:the (?:day|night) (?P<beyond>before yesterday|after tomorrow|before last))",
    r"(?P<near>(?i:today|tonight|yesterday|tomorrow)){daypart}",
    r"(?P<near>(?i:this)) (?i:morning|afternoon|evening)",
    r"(?P<near>(?i:last)) (?i:night|evening)",
    r"{count} (?P<near>(?i:hours?|minutes?)) (?i:ago)",
    r"(?P<near>(?i:overnight))(?= (?:[.,;:)]|(?:after|and|as|at|by|in|near|on|when|while) (?!{weekday}))|$)",
)
def _near_day(time: _Expression) -> Period | StatedTime | None:
    """``today``, ``yesterday``, ``this morning``, ``last night``, ``the day before yesterday``, ``overnight``."""
    if time["near"] == "overnight" and time.today is not None:
        ahead = bool(time.ahead)
        return Period(time.today.first + timedelta(ahead - 1), time.today.last + timedelta(ahead))
    days = 2 if time["beyond"] == "after tomorrow" else _DAYS_AWAY.get(time["near"] or time["beyond"], 0)
    return _UNKNOWN if time.today is None else time.today.shifted(days)


@_rule(r"(?:(?i:over|at|on|during) )?(?:(?i:the)|(?:(?i:the) )?{step}) (?i:weekend)")
def _weekend(time: _Expression) -> Period | StatedTime | None:
    """``over the weekend``, ``next weekend``."""
    if time.today is None:
        return _UNKNOWN
    if time.after.startswith(" of "):
        return None  # the day follows
    if (today := time.known) is None:
        return _days_before(time.today, 8)
    since = (today.weekday() - 5) % 7
    future = time.step > 0 if time.step else bool(time.ahead)
    saturday = today + timedelta(-since % 7 if future else -since)
    return Period(saturday, saturday + timedelta(1))


@_rule(
    r"(?:(?P<half>(?i:half)) )?{count} {unit} (?i:ago)(?P<today> (?i:today|to the day(?= [.,;]|$)))?",
    r"(?i:in) {some} {unit}",
    r"{some} {unit} (?i:ago)",
)
def _ago(time: _Expression) -> Period | StatedTime | None:
    """``two days ago``, ``a year ago today``; ``several years ago`` is unknown."""
    if time["half"]:
        return _UNKNOWN
    unit, count, today = _UNIT_DAYS[time["unit"]], _count(time["count"]), time.known
    back = unit * count >= 365
    if not time["count"] or time.today is None:
        return StatedTime(0, 0, None, looks_back=back)
    period = _moved(time.today, -count, unit)
    if time["today"] and period is not None and today is not None:
        month = period.first.month if unit == 30 else today.month
        period = time.today.shifted(-count * unit) if unit < 30 else _made(period.first.year, month, today.day)
    return None if period is None else StatedTime(0, 0, period, looks_back=back)


@_rule(
    r"(?i:in|within) {count} {unit}",
    r"(?i:in) {count} {unit}(?: ?’s?)? (?P<time>(?i:time))",
    r"{count} {unit} (?i:from now)",
)
def _in_some_time(time: _Expression) -> Period | StatedTime | None:
    """``in two days``, of what is still to come; ``in two days' time``; ``within two days`` begins today."""
    if time.today is None or not (time.ahead or time["time"]):
        return None
    period = _moved(time.today, _count(time["count"]), _UNIT_DAYS[time["unit"]])
    is_span = period is not None and time.match[0].casefold().startswith("within")
    return Period(time.today.first, period.last) if period is not None and is_span else period


def _moved(period: Period, count: int, unit: int) -> Period | None:
    """The day, week, month, year or longer time that lies some units away; as exact as the unit and the period."""
    year = period.first.year + count * round(unit / 365)
    if unit <= 14:
        shifted = period.shifted(count * unit)
        is_exact = unit == 1 or count in (1, -1) or period.days > 1 or not period.has_year
        return shifted if shifted is None or is_exact else _week(shifted.first)
    if not period.has_year:
        return Period.of_year(UNKNOWN_YEAR)
    if unit == 30:
        return Period.of_month(year, period.first.month + count)
    if 1 < period.days <= 31 and unit == 365:
        return Period.of_month(year, period.first.month)
    return Period.of_year(year) if 1 <= year <= 9999 else None


@_rule(
    r"(?:(?i:the) )?{step} (?P<span>(?i:week|month|year|quarter))",
    r"(?:(?i:the) )?{extent} (?i:of) (?:(?i:the) )?(?:{step} )?(?P<span>(?i:week|month|year|quarter))",
    r"(?i:the) (?P<span>(?i:week|month|year)) (?P<beyond>(?i:before last|after next))",
    r"(?P<same>(?i:this time)) {step} (?P<span>(?i:week|month|year))",
)
def _relative_unit(time: _Expression) -> Period | StatedTime | None:
    """``last week``, ``the week before last``, ``the following month``, ``the end of the month``."""
    unit, text = time["span"], time.match[0].casefold()
    count = (time.step or 0) * (2 if time["beyond"] else 1)
    anchored = time["step"] in ("following", "previous") or text.startswith("the next")
    anchored = anchored or (time.step is None and time.base_start >= 0)
    base = time.base if anchored else time.today
    if text.startswith("the past"):
        return _UNKNOWN
    back = unit == "year" and count < 0
    if base is None:
        return StatedTime(0, 0, None, looks_back=back)
    if not base.has_year:
        return _UNKNOWN
    year, month = base.first.year, base.first.month
    if unit == "week" and time["same"]:
        return base.shifted(7 * count)
    if unit == "week":
        period = _week(base.first + timedelta(7 * count))
    elif unit == "quarter":
        # "will deliver in the last quarter"
        start = 10 if time.ahead and time.before == "in" and count < 0 else month - (month - 1) % 3 + 3 * count
        period = Period.of_month(year, start, 3)
    else:
        period = Period.of_month(year, month + count) if unit == "month" else Period.of_year(year + count)
    return StatedTime(0, 0, _part(period, time["extent"]), looks_back=back and base == time.today)


@_rule(
    r"{count} {unit} (?P<way>(?i:later|earlier|afterwards|after that))",
    r"{count} (?P<hours>(?i:hours?|minutes?)) (?P<way>(?i:later|earlier|afterwards))",
    r"(?i:the) (?P<way>(?i:next|following|previous|same)) (?P<unit>(?i:day|morning|afternoon|evening|night))",
    r"(?i:the) (?P<unit>(?i:day|morning|afternoon|evening|night|week|month|year)) (?P<way>(?i:before|after))"
    r"(?= [.,;:)]| and | when |$)",
    r"(?P<way>(?i:that)) (?:(?i:same) )?(?P<unit>(?i:day|morning|afternoon|evening|night|year|week|month))"
    r"(?= [.,;:)]| and | when | at | in |$)",
)
def _from_stated(time: _Expression) -> Period | StatedTime | None:
    """``two days later``, ``the following day``, ``the night before``, ``that year``, ``eight hours later``."""
    base, way = time.base, time["way"]
    sign = {"earlier": -1, "previous": -1, "before": -1, "same": 0, "that": 0}.get(way, 1)
    if base is None:
        return _UNKNOWN if sign or way == "same" else None
    if time["hours"]:
        hour = _clock(time)
        hours = _count(time["count"]) * sign / (60 if time["hours"].startswith("minute") else 1)
        if hour is None or base.days > 1:
            return base if abs(hours) < 2 and base.days == 1 else _UNKNOWN
        return base.shifted(int((hour + hours) // 24))
    unit = _UNIT_DAYS.get(time["unit"], 1)
    if sign == 0 and unit > 1:
        if not base.has_year or base.days > unit:
            return None
        whole = {7: _week(base.first), 30: Period.of_month(base.first.year, base.first.month)}
        return whole.get(unit, Period.of_year(base.first.year))
    if unit == 1 and base.days > 1:
        return _UNKNOWN
    return _moved(base, sign * _count(time["count"]), unit) if sign else base


_CLOCK = re.compile(
    r"(?P<before>(?i:before|until) )?(?:(?P<name>(?i:midnight|noon|midday|dawn|morning|afternoon|evening|night))|"
    r"(?P<hour>\d\d?)(?:[:.](?P<minute>\d\d))? ?(?P<half>(?i:a\.?m\.?|p\.?m\.?)))"
)
_HOURS = {"dawn": 6, "morning": 9, "noon": 12, "midday": 12, "afternoon": 15, "evening": 20, "night": 22}


def _clock(time: _Expression) -> float | None:
    """The hour of day of the time that was stated last, from the words around it."""
    text = time.match.string[max(0, time.base_start - 30) : time.match.start()]
    found = list(_CLOCK.finditer(text)) if time.base_start >= 0 else []
    if not found:
        return None
    match = found[-1]
    if match["name"]:
        return _HOURS.get(match["name"].casefold(), 24) - (0.25 if match["before"] else 0)
    return int(match["hour"]) % 12 + (12 if match["half"][0] in "pP" else 0) + int(match["minute"] or 0) / 60


@_rule(
    r"{count} {unit} (?P<way>(?i:before|after|prior to|following))",
    r"(?i:the) (?P<unit>(?i:day|night)) (?P<way>(?i:before|after))",
    r"(?i:the eve) (?P<way>(?i:of))",
)
def _distance(time: _Expression) -> StatedTime | None:
    """``three days before`` what follows, ``on the eve of`` it."""
    days = _UNIT_DAYS[time["unit"] or "day"] * _count(time["count"])
    return StatedTime(0, 0, None, days=-days if time["way"] in ("before", "prior to", "of") else days)


@_rule(rf"(?P<holiday>{_HOLIDAY})(?P<weekend> (?i:weekend))?{{of_year}}?")
def _holiday(time: _Expression) -> Period | StatedTime | None:
    """``Easter Sunday``, ``Christmas Day 2020``, ``Labor Day weekend``; of several years the nearest by tense."""
    if (time.match.string[: time.match.start()].split() or ["the"])[-1].istitle():
        return None  # "Johnnie Christmas"
    rules = _HOLIDAYS[re.sub(r" ?’", "’", time.match["holiday"])]
    today = time.known
    if time.states_year:
        period = None if time.year is None else _of_rules(rules, time.year)
    elif today is None:
        return _UNKNOWN
    else:
        period = _nearest([_of_rules(rules, today.year + step) for step in (-1, 0, 1)], today, time.ahead, _SOON)
    if time["weekend"] and period is not None:
        weekday = period.first.weekday()
        saturday = period.first + timedelta(5 - weekday - (7 if weekday < 2 else 0))
        period = Period(min(period.first, saturday), max(period.last, saturday + timedelta(1)))
    return period


def _nearest(periods: Sequence[Period], today: date, ahead: bool | None, soon: int = 0) -> Period:
    """The first of some periods that is not over, of what is still to come; else the last that has begun, or will."""
    if ahead:
        return next(period for period in periods if period.last >= today)
    return next(period for period in reversed(periods) if (period.first - today).days <= soon)


def _of_rules(rules: tuple[str, str], year: int) -> Period:
    return Period(_of_rule(rules[0], year), _of_rule(rules[1], year))


def _of_rule(rule: str, year: int) -> date:
    """The day that a rule of `holidays.tsv` means: ``12-24``, ``easter-2``, ``4 Thu 11 +1``."""
    if rule.startswith("easter"):
        return easter(year) + timedelta(int(rule.removeprefix("easter")))
    if " " not in rule:
        return date(year, *map(int, rule.split("-")))
    number, weekday, month, *later = rule.split()
    period = _nth_weekday(Period.of_month(year, int(month)), int(number), _SHORT_DAYS[weekday])
    assert period is not None
    return period.first + timedelta(int(later[0]) if later else 0)


@_rule(
    r"(?:(?i:the) )?{ordinal} (?P<share>(?i:quarter|half))(?:{of_year}|(?P<this>(?i: of (?:the|this) year)))?",
    r"(?P<share>[QH])(?P<ordinal>[1-4]){of_year}?",
)
def _share_of_year(time: _Expression) -> Period | StatedTime | None:
    """``the first quarter of 2020``, ``Q3 2021``, ``the second half of last year``."""
    number, length = _ordinal(time["ordinal"]), 3 if time["share"].startswith("q") else 6
    number = 12 // length if number == -1 else number
    if not 1 <= number <= 12 // length or (length == 6 and not (time.states_year or time["this"])):
        return None
    month = length * (number - 1) + 1
    if time.states_year:
        return _UNKNOWN if time.year is None else Period.of_month(time.year, month, length)
    if _OF_MATCH.search(time.match.string):
        return None
    if (today := time.known) is None:
        return _UNKNOWN
    if time["this"]:
        return Period.of_month(today.year, month, length)
    return _nearest([Period.of_month(today.year + step, month, length) for step in (-1, 0, 1)], today, time.ahead)


@_rule(
    r"(?:(?i:in|over|during) )?(?:{step} |(?i:the) )?(?:{extent} )?{season}{of_year}",
    r"(?:(?P<in>(?i:in|over|during)) )?(?:{step}|(?P<that>(?i:that))|(?i:the)) {season}",
)
def _season(time: _Expression) -> Period | StatedTime | None:
    """``the summer of 1961``, ``last summer``, ``in the spring``."""
    month, step = _SEASONS[time["season"]], time.step
    if time["that"]:
        base = _dated(time.base)
        return base and Period.of_month(base.first.year, month, 3)
    if time.states_year:
        return _UNKNOWN if time.year is None else Period.of_month(time.year, month, 3)
    is_verb = time["season"] in ("fall", "spring") and time.ahead is None
    if step is None and (not time["in"] or is_verb):
        return None
    if (today := time.known) is None:
        return _UNKNOWN
    years = [Period.of_month(today.year + offset, month, 3) for offset in (-2, -1, 0, 1)]
    if step == 0:
        return years[2]
    years = [period for period in years if step != 1 or period.first > today]
    return _nearest(years, today, step > 0 if step else time.ahead)


@_rule(
    r"(?i:the) (?:{extent}(?: |-))?(?P<decade>(?:1[5-9]|20)\d0)(?: ?’)?s",
    r"(?i:the) (?:{extent}(?: |-))?(?P<named>(?i:twen|thir|for|fif|six|seven|eigh|nine)(?i:ties))",
    r"(?i:the) (?P<century>1[5-9]|2[01])th[ -](?i:century)",
)
def _decade(time: _Expression) -> Period | None:
    """``the early 1990s``, ``the nineties``, ``the 18th century``."""
    if time["named"] and time.before not in ("in", "of", "during", "since", "from"):
        return None
    if time["named"]:
        tens = ("twen", "thir", "for", "fif", "six", "seven", "eigh", "nine")
        first = 1920 + 10 * tens.index(time["named"].removesuffix("ties"))
    else:
        first = int(time["decade"] or 100 * (int(time["century"]) - 1))
    is_century = time["century"] or (first % 100 == 0 and first < 2000)
    return _part(Period.of_month(first, 1, 1200 if is_century else 120), time["extent"])


_FIRST_BARE = 1500
"""Earlier years are read only behind a month or a season."""
_BEFORE_YEAR = frozenset(
    {"in", "since", "of", "from", "until", "till", "by", "during", "through", "the", "early", "late", "mid", "before"}
    | {"after", "around", "about", "between", "and", "to", "(", "its", "his", "her", "their", "’s"}
)
_BEFORE_AMOUNT = frozenset({"of", "to", "about", "around", "by", "and", "from", "the", "its", ","})
_STREET = re.compile(r" (?:\S+ )?(?i:block|street|st\.?|avenue|ave\.?|road|rd\.?|drive)(?: |$)")


@_rule(r"{beginning}{year}(?: ?[-–/] ?(?P<until>(?:1[5-9]|20)\d\d|\d\d))?")
def _year(time: _Expression) -> Period | StatedTime | None:
    """``in 2017``, ``the 2017 fire``, ``early 2023``, ``2019-2021``."""
    year = int(time["year"])
    if year < _FIRST_BARE:
        return None
    is_amount = time.before in _BEFORE_AMOUNT and _COUNTED.match(time.after)  # "about 2000 dollars"
    opens_entry = not time.before and time.after.startswith((" :", " - ", " – ", " — "))
    if not (time["extent"] or opens_entry) and (time.before not in _BEFORE_YEAR or is_amount):
        return None
    if _STREET.match(time.after):
        return None  # "the area of 1915 Birch St."
    today = _dated(time.today)
    if today is not None and year > today.first.year + _MOST_YEARS_AHEAD:
        return None
    if time["until"]:
        last = int(time["until"])
        last += year // 100 * 100 if last < 100 else 0
        return Period(date(year, 1, 1), date(last, 12, 31)) if year < last <= year + 100 else None
    looks_back = time.today is not None if today is None else year < today.first.year
    return StatedTime(0, 0, _part(Period.of_year(year), time["extent"]), looks_back)


def _week(day: date) -> Period:
    monday = day - timedelta(day.weekday())
    return Period(monday, monday + timedelta(6))


def _days_before(today: Period, days: int) -> Period:
    return Period((today.shifted(-days) or today).first, today.last)
