"""Expressions of time: the words of a sentence and the day of its document in, periods with their words out. What is
relative counts from the day of the document, or from the time that was stated before ("two days later")."""

from __future__ import annotations

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dateutil.easter import easter

from cdcoref.facts.period import UNKNOWN_YEAR, Period, month_later
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
class _Context:
    """What an expression may refer to.

    `text`: The sentence, its words joined by spaces.
    `start`: Where the expression begins in it.
    `today`, `base`: The day of the document, and the last time that was stated.
    `ahead`: Whether it is still to come.
    `base_start`: Where the expression of `base` begins in `text`; -1 if it is in another sentence.
    """

    text: str
    start: int
    today: Period | None
    base: Period | None
    ahead: bool | None
    base_start: int = -1

    @property
    def known(self) -> Period | None:
        """The day of the document, if it is a single day of a known year."""
        return self.today if self.today is not None and self.today.has_year and self.today.days == 1 else None


_NUMBERS = {row["word"]: row["value"] for row in rows("numbers.tsv")}
_COUNTS = {word: int(value) for word, value in _NUMBERS.items() if value.isdecimal()}
_ORDINALS = {word: int(value[:-2]) for word, value in _NUMBERS.items() if not value.isdecimal()}
_HOLIDAYS = {row["name"].replace("'", "’"): (row["first"], row["last"]) for row in rows("holidays.tsv")}
_MONTHS = {name: number for number, name in enumerate(month_name) if name}
_SHORT = {name: number for number, name in enumerate(month_abbr) if name} | {"Sept": 9}
_WEEKDAYS = {name: number for number, name in enumerate(day_name)}
_SHORT_DAYS = {name: number for number, name in enumerate(day_abbr)} | {"Tues": 1, "Thurs": 3, "Thur": 3}
_UNIT_DAYS = {
    "day": 1,
    "night": 1,
    "week": 7,
    "fortnight": 14,
    "month": 30,
    "year": 365,
    "decade": 3652,
    "century": 36524,
}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "following": 1}
_DAYS_AWAY = {
    "before yesterday": -2,
    "before last": -2,
    "yesterday": -1,
    "last": -1,
    "tomorrow": 1,
    "after tomorrow": 2,
}
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
    "year": r"(?P<year>1[5-9]\d\d|20\d\d)",
    "ordinal": rf"(?P<ordinal>(?i:{_either(_ORDINALS)})|\d\d?(?:st|nd|rd|th))",
    "count": rf"(?P<count>(?i:{_either(_COUNTS)})|\d{{1,3}})",
    "some": r"(?i:several|a few|many|some|a number of)",
    "unit": r"(?P<unit>(?i:day|night|week|fortnight|month|year|decade|century|centurie))(?i:s)?",
    "step": r"(?P<step>(?i:last|past|this past|this coming|this|current|next|coming|previous|following))",
    "daypart": r"(?: (?i:morning|afternoon|evening|night|noon|midnight|lunchtime|midday|dawn|overnight))*",
    "extent": r"(?P<extent>(?i:early|mid|middle|late|beginning|start|end))",
    "season": r"(?P<season>(?i:spring|summer|autumn|fall|winter))",
}
_PARTS["of_year"] = (
    rf"(?:(?: ,| of| in)? {_PARTS['year']}|(?: of)? "
    r"(?P<which>(?i:last|this|next)) (?i:year))"
)
_PARTS["of_month"] = (
    rf"(?:{_PARTS['month']}{_PARTS['of_year']}?|"
    r"(?P<whichmonth>(?i:last|this|next|the previous|the following)) (?i:month))"
)

_Resolver = Callable[["re.Match[str]", _Context], "Period | StatedTime | None"]
_RULES: list[tuple[re.Pattern[str], _Resolver]] = []
_UNKNOWN = StatedTime(0, 0, None)
"""An expression of time without a value."""


def _rule(*templates: str) -> Callable[[_Resolver], _Resolver]:
    """Add a way to read expressions that match any of some patterns; ``{month}`` and the like stand for `_PARTS`."""

    def add(resolver: _Resolver) -> _Resolver:
        for template in templates:
            pattern = re.sub(r"\{([a-z_]+)\}", lambda match: _PARTS[match[1]], template)
            _RULES.append((re.compile(rf"(?:(?<=^)|(?<= )){pattern}(?= |$)"), resolver))
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
        context = _Context(text, start, today, base, ahead(first), base_start)
        result = _RULES[number][1](match, context)
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
    rf"year|decade|centur|quarter|half|spring|summer|autumn|fall|winter|today|tonight|yesterday|tomorrow|night|morning|"
    rf"afternoon|evening|fortnight|hour|eve of|ago)|\w+ies\b|{_HOLIDAY}"
)


def _looks_back(period: Period, today: Period | None) -> bool:
    if today is None or not (today.has_year and period.has_year):
        return False
    return period.last.year < today.first.year and (today.first - period.last).days > _AHEAD


def _joined(one: StatedTime, other: StatedTime, words: Sequence[str]) -> StatedTime | None:
    """The time from one to another ("between 2021 and 2023", "from Monday to Wednesday"), or at a distance from another
    ("the day after Christmas"); None for separate times."""
    if other.start == one.end and abs(one.days) in range(1, 28) and words[other.start] != "the":
        if other.period is None or other.period.days > _LONGEST_HOLIDAY:
            return None
        day = other.period.first + timedelta(other.period.days // 2 + one.days)
        return replace(other, start=one.start, period=Period.of_day(day))
    before = words[one.start - 1].casefold() if one.start else ""
    between = words[one.end].casefold() if other.start == one.end + 1 else ""
    joined = between in ("to", "until", "till", "through", "-", "–") if before == "from" else between == "and"
    if before not in ("from", "between") or not joined:
        return None
    if one.period is None or other.period is None or one.period.has_year != other.period.has_year:
        return None
    if one.period.first > other.period.last:
        return None
    return replace(one, end=other.end, period=Period(one.period.first, other.period.last))


def _made(year: int, month: int, day: int) -> Period | None:
    try:
        return Period.of_day(date(year, month, day))
    except ValueError:
        return None


def _full_year(digits: str) -> int:
    year = int(digits)
    return year if year > 99 else year + (2000 if year < 50 else 1900)


@_rule(
    r"{year} ?[-/.] ?(?P<number>0?[1-9]|1[0-2]) ?[-/.] ?{day}",
    r"(?P<one>\d\d?) ?(?P<sign>[/.]|(?<=\d)-(?=\d)) ?(?P<two>\d\d?) ?(?P=sign) ?(?P<full>(?:1[5-9]|20)\d\d|\d\d)",
)
def _figures(match: re.Match[str], context: _Context) -> Period | None:
    """``2014-06-15``, ``15.06.2014``, ``6/15/2014``, ``25/6/2014``."""
    groups = match.groupdict()
    if groups.get("year"):
        return _made(int(groups["year"]), int(groups["number"]), int(groups["day"]))
    one, two = int(groups["one"]), int(groups["two"])
    if groups["sign"] == "." and len(groups["full"]) < 4:
        return None
    month, day = (two, one) if groups["sign"] != "/" or one > 12 else (one, two)
    return _made(_full_year(groups["full"]), month, day) if 1 <= month <= 12 else None


def _month_number(name: str) -> int:
    return _SHORT[name.rstrip(" .").title()[:3]] if name.rstrip(" .").title() != "Sept" else 9


def _stated_year(groups: dict[str, str | None], context: _Context) -> int | None:
    """The year of ``{of_year}``: in figures, or "last year"; None if that is unknown."""
    if year := groups.get("year"):
        return int(year)
    known = context.today is not None and context.today.has_year
    return context.today.first.year + _STEPS[(groups["which"] or "").casefold()] if known else None  # type: ignore[union-attr]


def _states_year(groups: dict[str, str | None]) -> bool:
    return bool(groups.get("year") or groups.get("which"))


def _year_of(match: re.Match[str], context: _Context, month: int, day: int | None) -> int | None:
    """The year of a month or day: stated, or the nearest by tense; None if it may be either of two."""
    groups = match.groupdict()
    if _states_year(groups):
        return _stated_year(groups, context)
    today = context.today
    if today is None or not today.has_year:
        return UNKNOWN_YEAR
    year = today.last.year
    ahead = (date(year, month, min(day or 1, 28)) - today.last).days
    if context.ahead:
        past = ahead < -_SOON if day else ahead < -45
        return year + 1 if past and (day is None or ahead < -_AHEAD) else year
    if context.ahead is None and _SOON < ahead <= _AHEAD:
        return None
    return year - 1 if ahead > _SOON else year


def _month_of(match: re.Match[str], context: _Context) -> Period | None:
    """The month of ``{of_month}``."""
    groups = match.groupdict()
    if groups.get("whichmonth"):
        which = groups["whichmonth"].casefold()
        base = context.base if which.startswith("the") else context.today
        if base is None or not base.has_year:
            return None
        return Period.of_month(*month_later((base.first.year, base.first.month), _STEPS[which.split()[-1]]))
    month = _month_number(groups["month"])
    year = _year_of(match, context, month, None)
    return None if year is None else Period.of_month(year, month)


@_rule(
    r"(?:{weekday} ?,? )?(?:(?i:the) )?{day}{to}(?: (?i:of))? {month}{of_year}?",
    r"(?:{weekday} (?:[,(] )?)?{month} (?:(?i:the) )?{day}{to}{of_year}?",
    r"(?:{weekday} ?,? )?(?i:the) {ordinal} (?i:of) {month}{of_year}?",
)
def _day_and_month(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``March 5 , 2024``, ``Tuesday , 5 March``, ``the 5th of March``, ``May 3-5``."""
    groups = match.groupdict()
    month = _month_number(groups["month"])
    day = int(groups["day"]) if groups.get("day") else _ordinal(groups["ordinal"])
    before = context.text[: context.start]
    after = context.text[match.end() :].split(" ", 2)[1:2]
    if (
        match[0].endswith(groups.get("day") or "-")
        and after
        and re.fullmatch(r"(?!(?:was|is|has|as)$)[a-z]+s", after[0])
    ):
        return None  # "in March 12 ships sailed"
    year = _year_of(match, context, month, day)
    if year is None:
        return _UNKNOWN
    period = _made(year, month, day)
    if period is not None and (week := re.search(r"\b(?i:week) (?:(of|beginning)|to|ending) $", before)):
        return _week(period.first) if week[1] else Period(period.first - timedelta(6), period.last)
    if period is not None and groups.get("to"):
        last = _made(year, month, int(groups["to"]))
        return None if last is None or last < period else Period(period.first, last.last)
    return period


@_rule(r"(?:(?:(?i:the) )?{extent}(?: (?i:of) | ?- ?| )(?:(?i:the) )?)?{full}{of_year}?", r"{month} ,? ?{year}")
def _month(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``March 2024``, ``early March``, ``last March``, ``the end of March``."""
    groups = match.groupdict()
    before = _word_before(context)
    name = groups["month"]
    if groups.get("extent") and re.match(r" \d\d?\b", context.text[match.end() :]):
        return None  # "early May 12"
    plain = not (_states_year(groups) or groups.get("extent"))
    if plain and name.casefold() in ("march", "may") and before not in _BEFORE_MONTH:
        return None
    if plain and name.endswith(".") and before not in _BEFORE_MONTH:
        return None
    number = _month_number(name)
    today = context.today
    refers = _AFTER_REFERENCE.match(context.text[match.end() :])
    if plain and before in ("last", "next") and today is not None and today.has_year:
        year = today.last.year
        year = year + (number <= today.last.month) if before == "next" else year - (number >= today.last.month)
        period: Period | None = Period.of_month(year, number)
    elif plain and before == "that" and context.base is not None and context.base.has_year and refers:
        period = Period.of_month(context.base.first.year, number)
    else:
        period = _month_of(match, context)
    if period is None:
        return _UNKNOWN
    return _part(period, groups.get("extent"))


_AFTER_REFERENCE = re.compile(
    r" *(?:$|[^\w ]|(?:after|and|as|at|because|before|but|for|from|he|in|it|she|the[ny]?|when|while)\b)"
)
"""What follows "that November" if "that" refers to a year; not "said that November sales fell"."""
_BEFORE_MONTH = frozenset(
    {"in", "since", "of", "from", "until", "till", "by", "during", "through", "last", "next", "this", "that", "early"}
    | {"late", "mid", "before", "after", "and", "to", "between", "for", ","}
)


def _part(period: Period, extent: str | None) -> Period:
    """The beginning, middle or end of a week (2 days), a month (10 days) or a longer period (a third of its months)."""
    if not extent:
        return period
    third = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}[extent.casefold()]
    if period.days <= 31:
        length = 10 if period.days > 7 else 2
        first = period.first + timedelta(length * third)
        return Period(first, period.last if third == 2 else first + timedelta(length - 1))
    if period.days <= 366:
        start = Period.of_month(*month_later((period.first.year, period.first.month), 4 * third))
        end = Period.of_month(*month_later((period.first.year, period.first.month), 4 * third + 3))
        return Period(start.first, end.last)
    decade = period.last.year - period.first.year < 10
    bounds = (((0, 3), (4, 6), (7, 9)) if decade else ((0, 33), (34, 66), (67, 99)))[third]
    return Period(
        Period.of_year(period.first.year + bounds[0]).first, Period.of_year(period.first.year + bounds[1]).last
    )


def _word_before(context: _Context) -> str:
    return (context.text[: context.start].split() or [""])[-1].casefold()


def _ordinal(word: str) -> int:
    return _ORDINALS[word.casefold()] if word.casefold() in _ORDINALS else int(re.sub(r"\D", "", word))


@_rule(
    r"(?:(?i:the) )?{ordinal} (?P<name>(?i:day|week|weekend)|{weekday}) (?i:of|in) {of_month}",
    r"(?:(?i:the) )?{ordinal} (?P<name>(?i:day|week|weekend)|{weekday}) (?i:of) (?P<this>(?i:the month))",
    r"(?i:the) {ordinal} (?i:of) (?P<whichmonth>(?i:last|this|next|the following)) (?i:month)",
)
def _nth_day(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``the second Tuesday of next month``, ``the last day of the month``, ``the first week of August``."""
    groups = match.groupdict()
    base = context.base if context.base_start >= 0 else context.today
    if groups.get("this"):
        month = Period.of_month(base.first.year, base.first.month) if base is not None and base.has_year else None
    else:
        month = _month_of(match, context)
    if month is None:
        return _UNKNOWN
    number = _ordinal(match["ordinal"])
    name = (groups.get("name") or "").casefold()
    if name == "weekend":
        saturday = _nth_weekday(month, number, _SHORT_DAYS["Sat"])
        return saturday and Period(saturday.first, saturday.first + timedelta(1))
    if name == "week":
        first = month.first + timedelta(7 * (number - 1)) if number > 0 else month.last - timedelta(6)
        return Period(first, min(first + timedelta(6), month.last))
    if groups.get("weekday"):
        return _nth_weekday(month, number, _weekday_number(groups["weekday"]))
    day = month.days if number < 0 else number
    return _made(month.first.year, month.first.month, day)


def _nth_weekday(month: Period, number: int, weekday: int) -> Period | None:
    days = [
        month.first + timedelta(offset)
        for offset in range(month.days)
        if (month.first + timedelta(offset)).weekday() == weekday
    ]
    place = number if number < 0 else number - 1
    return Period.of_day(days[place]) if -len(days) <= place < len(days) else None


def _weekday_number(name: str) -> int:
    return _SHORT_DAYS[name.title()[:3]]


@_rule(
    r"(?:{weekday} ?,? (?:(?i:the) )?|(?i:the) )(?P<day>0?[1-9]|[12]\d|3[01])(?i:st|nd|rd|th)"
    r"(?= (?:[.,;:)]|and |at |when |that )|$)",
)
def _bare_day(match: re.Match[str], context: _Context) -> Period | None:
    """``on the 12th``, ``Tuesday the 12th``, ``Friday 13th``."""
    if (_word_before(context) != "on" and not match["weekday"]) or context.known is None:
        return None
    today = context.known.first
    months = (0, 1) if context.ahead else (0, -1)
    for step in months:
        year, month = month_later((today.year, today.month), step)
        period = _made(year, month, int(match["day"]))
        if period is not None and ((period.first >= today) if context.ahead else (period.first <= today)):
            return period
    return None


@_rule(
    r"{weekday}{daypart} (?:(?i:of) )?(?P<week>(?i:last|this|next)) (?i:week)",
    r"(?P<week>(?i:last|this|next)) (?i:week) (?:(?i:on) )?{weekday}{daypart}",
)
def _weekday_of_week(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``Monday next week``, ``last week Friday``."""
    if context.known is None:
        return _UNKNOWN
    monday = _week(context.known.first).first
    return Period.of_day(monday + timedelta(7 * _STEPS[match["week"].casefold()] + _weekday_number(match["weekday"])))


@_rule(
    r"{count} (?:(?i:weeks?)|(?P<double>(?i:fortnights?))) (?:(?i:from|on) )?"
    r"(?P<from>(?i:today|tomorrow|now|yesterday)|{weekday})",
    r"{weekday} (?:(?P<count>week)|(?P<double>fortnight))(?= |$)",
    r"{count} (?P<day>(?i:days?)) (?i:from) (?P<from>(?i:today|tomorrow|now))",
    r"(?P<near>(?i:today|tomorrow|yesterday)) (?:(?P<count>week)|(?P<double>fortnight))",
    r"{count} (?i:weeks?) (?P<back>(?i:ago(?: on| last)?|last)) {weekday}",
)
def _weeks_from(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``a week from Tuesday``, ``Friday fortnight``, ``yesterday week``, ``a week last Monday``."""
    if context.known is None:
        return _UNKNOWN
    groups = match.groupdict()
    today = context.known.first
    count = 1 if groups["count"] in ("week", None) else _count(groups["count"])
    count *= 2 if groups.get("double") else 1
    if groups.get("back"):
        behind = (today.weekday() - _weekday_number(groups["weekday"])) % 7
        return Period.of_day(today - timedelta(behind + 7 * count))
    if groups.get("weekday"):
        before = (_weekday_number(groups["weekday"]) - today.weekday()) % 7 or 7
        return Period.of_day(today + timedelta(before + 7 * count))
    start = {"tomorrow": 1, "yesterday": -1}.get((groups.get("near") or groups["from"]).casefold(), 0)
    if groups.get("near") and start < 0:  # "yesterday week"
        count = -count
    return Period.of_day(today + timedelta(start + count * (1 if groups.get("day") else 7)))


def count_named(word: str) -> int | None:
    """The number that a word in lower case is ("3", "three", "a"); None for any other."""
    return int(word) if word.isdecimal() and len(word) <= 3 else _COUNTS.get(word)


def days_of_unit(word: str) -> int | None:
    """The days of a unit of time, in singular or plural; 0 for hours and minutes, None for any other word."""
    singular = word.removesuffix("s")
    return 0 if singular in ("hour", "minute", "second", "moment") else _UNIT_DAYS.get(singular)


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else _COUNTS[word.casefold()]


@_rule(
    r"(?:{step} |(?i:the) (?P<back>(?i:previous|following|next)) )?{weekday}{daypart}",
    r"(?:(?i:the) )?{weekday} (?P<beyond>(?i:before last|after next))",
    r"{count} {weekday}s (?P<ago>(?i:ago))",
    r"{weekday} (?P<step>(?i:last|next))(?= (?:[.,;:)]|and )|$)",
    r"(?i:the) {weekday} (?P<unknown>(?i:before|after))",
)
def _weekday(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``Sunday``, ``last Sunday``, ``this coming Friday``, ``Sunday night``, ``the Sunday before last``."""
    groups = match.groupdict()
    if groups.get("unknown") or _word_before(context) in _REPEATED:  # "the Sunday before the vote", "every Sunday"
        return _UNKNOWN
    if groups.get("beyond"):
        groups["step"] = groups["beyond"].split()[-1]
    number = _weekday_number(groups["weekday"])
    step = (groups.get("step") or groups.get("back") or "").casefold().split()
    today = context.today
    if today is None:
        return StatedTime(0, 0, None, weekday=number)
    if groups.get("ago"):  # "three Sundays ago"
        return today.shifted(-((today.first.weekday() - number) % 7 or 7) - 7 * (_count(groups["count"]) - 1))
    direction = _STEPS[step[-1]] if step else None
    future = bool(context.ahead) if direction is None else direction > 0
    if step[-1:] == ["this"]:
        future = context.ahead is not False
    if not today.has_year or today.days > 1:
        return Period(today.first, today.last + timedelta(6)) if future else _days_before(today, 6)
    behind = (today.first.weekday() - number) % 7
    if direction == -1:
        days = -(behind or 7)
    elif direction == 1:
        days = -behind % 7 or 7
        days += 7 * (days == 1)  # the next day is tomorrow
    elif future:
        days = -behind % 7
    else:
        days = -behind
    return today.shifted(days + 7 * (direction or 0) if groups.get("beyond") else days)


@_rule(
    r"(?i:the (?:day|night) (?P<beyond>before yesterday|after tomorrow|before last))",
    r"(?P<near>(?i:today|tonight|yesterday|tomorrow)){daypart}",
    r"(?P<near>(?i:this)) (?i:morning|afternoon|evening)",
    r"(?P<near>(?i:last)) (?i:night|evening)",
    r"{count} (?P<near>(?i:hours?|minutes?)) (?i:ago)",
)
def _near_day(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``today``, ``yesterday``, ``this morning``, ``last night``, ``the day before yesterday``."""
    if context.today is None:
        return _UNKNOWN
    word = next(value for name, value in match.groupdict().items() if value and name in ("near", "beyond")).casefold()
    return context.today.shifted(_DAYS_AWAY.get(word, 0))


@_rule(
    r"(?:(?i:over|at|on|during) )?(?:(?i:the) )?(?:{step} )?(?i:weekend)",
)
def _weekend(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``over the weekend``, ``next weekend``."""
    today = context.today
    if today is None:
        return _UNKNOWN
    if not re.search(r"(?i)\b(the|last|this|next|past|coming|previous|following)\b", match[0]):
        return None
    if context.text[match.end() :].startswith(" of "):
        return None  # the day follows
    if context.known is None:
        return _days_before(today, 8)
    step = (match["step"] or "").casefold().split()
    future = _STEPS[step[-1]] > 0 if step and step[-1] != "this" else bool(context.ahead)
    since = (today.first.weekday() - 5) % 7
    saturday = today.first + timedelta(-since % 7) if future else today.first - timedelta(since)
    return Period(saturday, saturday + timedelta(1))


@_rule(
    r"(?:(?P<half>(?i:half)) )?{count} {unit} (?i:ago)(?P<today> (?i:today))?",
    r"(?P<count>(?i:in)) {some} {unit}",
    r"{some} {unit} (?i:ago)",
)
def _ago(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``two days ago``, ``a year ago today``; ``several years ago`` is unknown."""
    groups = match.groupdict()
    if groups.get("half"):
        return _UNKNOWN
    if groups.get("count", "in") is None or groups.get("count", "in").casefold() == "in":
        return StatedTime(0, 0, None, looks_back=_unit(groups["unit"]) >= 365)
    days = _unit(groups["unit"])
    back = days * _count(groups["count"]) >= 365
    if context.today is None:
        return StatedTime(0, 0, None, looks_back=back)
    period = _moved(context.today, -_count(groups["count"]), days)
    if groups.get("today") and period is not None and context.known is not None:
        if days < 30:
            period = context.known.shifted(-_count(groups["count"]) * days)
        else:
            period = _made(
                period.first.year,
                period.first.month if days == 30 else context.known.first.month,
                context.known.first.day,
            )
    return None if period is None else StatedTime(0, 0, period, looks_back=back)


def _unit(word: str) -> int:
    word = word.casefold()
    return _UNIT_DAYS["century" if word == "centurie" else word]


@_rule(
    r"(?i:in|within) {count} {unit}",
    r"(?i:in) {count} {unit}(?: ?’s?)? (?P<time>(?i:time))",
    r"{count} {unit} (?i:from now)",
)
def _in_some_time(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``in two days``, of what is still to come; ``in two days' time``."""
    if context.today is None or not (context.ahead or match.groupdict().get("time")):
        return None
    return _moved(context.today, _count(match["count"]), _unit(match["unit"]))


def _moved(period: Period, count: int, unit: int) -> Period | None:
    """The day, week, month, year or longer time that lies some units away; as exact as the unit and the period."""
    if unit == 1 or (unit == 14 and period.days == 1):
        return period.shifted(count * unit)
    if not period.has_year:
        shifted = period.shifted(count * unit)
        return shifted if shifted is None or unit <= 14 else Period.of_year(UNKNOWN_YEAR)
    if unit <= 14:
        shifted = period.shifted(count * unit)
        if count in (1, -1) or shifted is None or period.days > 1:
            return shifted
        return _week(shifted.first)
    if unit == 30:
        return Period.of_month(*month_later((period.first.year, period.first.month), count))
    year = period.first.year + count * round(unit / 365)
    if period.days <= 31 and period.days > 1 and unit == 365:
        return Period.of_month(year, period.first.month)
    return Period.of_year(year) if 1 <= year <= 9999 else None


@_rule(
    r"(?:(?i:the) )?{step} (?P<span>(?i:week|month|year|quarter))",
    r"(?:(?i:the) )?{extent} (?i:of) (?:(?i:the) )?(?:{step} )?(?P<span>(?i:week|month|year|quarter))",
    r"(?i:the) (?P<span>(?i:week|month|year)) (?P<beyond>(?i:before last|after next))",
)
def _relative_unit(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``last week``, ``the week before last``, ``the following month``, ``the end of the month``."""
    groups = match.groupdict()
    unit = groups["span"].casefold()
    step = (groups.get("step") or "").casefold().split()
    beyond = (groups.get("beyond") or "").casefold()
    count = {"before last": -2, "after next": 2}.get(beyond) or (_STEPS[step[-1]] if step else 0)
    anchored = step[-1:] in (["following"], ["previous"]) or match[0].casefold().startswith("the next")
    anchored = anchored or (not step and not beyond and context.base_start >= 0)
    base = context.base if anchored else context.today
    if not beyond and match[0].casefold().startswith("the past"):
        return StatedTime(0, 0, None)
    back = unit == "year" and count < 0
    if base is None:
        return StatedTime(0, 0, None, looks_back=back)
    if not base.has_year:
        return _UNKNOWN
    if unit == "week":
        period = _week(base.first + timedelta(7 * count))
    elif unit == "quarter":
        first = base.first.month - (base.first.month - 1) % 3
        period = _months(*month_later((base.first.year, first), 3 * count), 3)
    elif unit == "month":
        period = Period.of_month(*month_later((base.first.year, base.first.month), count))
    else:
        period = Period.of_year(base.first.year + count)
    return StatedTime(0, 0, _part(period, groups.get("extent")), looks_back=back and base == context.today)


@_rule(
    r"{count} {unit} (?P<way>(?i:later|earlier|afterwards|after that))",
    r"{count} (?P<hours>(?i:hours?|minutes?)) (?P<way>(?i:later|earlier|afterwards))",
    r"(?i:the) (?P<way>(?i:next|following|previous|same)) (?P<unit>(?i:day|morning|afternoon|evening|night))",
    r"(?i:the) (?P<unit>(?i:day|morning|afternoon|evening|night|week|month|year)) (?P<way>(?i:before|after))"
    r"(?= [.,;:)]| and | when |$)",
    r"(?P<way>(?i:that)) (?:(?i:same) )?(?P<unit>(?i:day|morning|afternoon|evening|night|year|week|month))"
    r"(?= [.,;:)]| and | when | at | in |$)",
)
def _from_stated(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``two days later``, ``the following day``, ``the night before``, ``that year``, ``eight hours later``."""
    base = context.base
    groups = match.groupdict()
    way = groups["way"].casefold().split()[0]
    sign = {"earlier": -1, "previous": -1, "before": -1, "same": 0, "that": 0}.get(way, 1)
    if base is None:
        return _UNKNOWN if sign or way == "same" else None
    if groups.get("hours"):
        hour = _clock(context)
        hours = _count(groups["count"]) * sign / (60 if groups["hours"].casefold().startswith("minute") else 1)
        if hour is None or base.days > 1:
            return base if abs(hours) < 2 and base.days == 1 else _UNKNOWN
        return base.shifted(int((hour + hours) // 24))
    word = groups["unit"].casefold()
    unit = _UNIT_DAYS.get(word, 1) if word != "centurie" else _UNIT_DAYS["century"]
    count = sign * (_count(groups["count"]) if groups.get("count") else 1)
    if sign == 0 and unit > 1:
        if not base.has_year or base.days > unit:
            return None
        whole = {7: _week(base.first), 30: Period.of_month(base.first.year, base.first.month)}
        return whole.get(unit, Period.of_year(base.first.year))
    if unit == 1 and base.days > 1:
        return _UNKNOWN
    return base if count == 0 else _moved(base, count, unit)


_CLOCK = re.compile(
    r"(?P<before>(?i:before|until) )?(?:(?P<name>(?i:midnight|noon|midday|dawn|morning|afternoon|evening|night))|"
    r"(?P<hour>\d\d?)(?:[:.](?P<minute>\d\d))? ?(?P<half>(?i:a\.?m\.?|p\.?m\.?)))"
)


def _clock(context: _Context) -> float | None:
    """The hour of day of the time that was stated last, from the words around it."""
    if context.base_start < 0:
        return None
    text = context.text[max(0, context.base_start - 30) : context.start]
    found = list(_CLOCK.finditer(text))
    if not found:
        return None
    match = found[-1]
    if match["name"]:
        names = {"midnight": 24, "noon": 12, "midday": 12, "dawn": 6, "morning": 9, "afternoon": 15, "evening": 20}
        return names.get(match["name"].casefold(), 22) - (0.25 if match["before"] else 0)
    hour = int(match["hour"]) % 12 + (12 if match["half"].casefold().startswith("p") else 0)
    return hour + int(match["minute"] or 0) / 60


@_rule(
    r"{count} {unit} (?P<way>(?i:before|after|prior to|following))",
    r"(?i:the) (?P<unit>(?i:day|night|eve)) (?P<way>(?i:before|after|of))",
)
def _distance(match: re.Match[str], context: _Context) -> StatedTime | None:
    """``three days before`` what follows, ``on the eve of`` it."""
    groups = match.groupdict()
    unit, way = groups["unit"].casefold(), groups["way"].casefold()
    if (unit == "eve") != (way == "of"):
        return None
    days = 1 if unit == "eve" else _unit(unit) * (_count(groups["count"]) if groups.get("count") else 1)
    back = way in ("before", "prior to", "of")
    return StatedTime(0, 0, None, days=-days if back else days)


@_rule(rf"(?P<holiday>{_HOLIDAY}){{of_year}}?")
def _holiday(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``Easter Sunday``, ``Christmas Day 2020``; of several years the nearest by tense."""
    groups = match.groupdict()
    if (context.text[: context.start].split() or ["the"])[-1].istitle():
        return None  # "Johnnie Christmas"
    name = re.sub(r" ?’", "’", groups["holiday"])
    rules = _HOLIDAYS[name]
    if _states_year(groups):
        year = _stated_year(groups, context)
        return None if year is None else _of_rules(rules, year)
    if context.known is None:
        return _UNKNOWN
    today = context.known.first
    years = [_of_rules(rules, today.year + step) for step in (-1, 0, 1)]
    if context.ahead:
        return next(period for period in years if period.last >= today)
    return next(period for period in reversed(years) if (period.first - today).days <= _SOON)


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
    r"(?:(?i:the) )?{ordinal} (?P<share>(?i:quarter|half)){of_year}?",
    r"(?P<short>[QH])(?P<number>[1-4]){of_year}?",
)
def _share_of_year(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``the first quarter of 2020``, ``Q3 2021``, ``the second half of last year``."""
    groups = match.groupdict()
    share = (groups.get("share") or "").casefold() or {"Q": "quarter", "H": "half"}[groups["short"]]
    number = int(groups["number"]) if groups.get("number") else _ordinal(groups["ordinal"])
    stated, length = _states_year(groups), 3 if share == "quarter" else 6
    if not 1 <= number <= 12 // length or (share == "half" and not stated):
        return None
    if not stated:
        if _OF_MATCH.search(context.text):
            return None
        if context.known is None:
            return _UNKNOWN
        today = context.known.first
        years = [_months(today.year + step, 3 * number - 2, 3) for step in (-1, 0, 1)]
        if context.ahead:
            return next(period for period in years if period.last >= today)
        return next(period for period in reversed(years) if period.first <= today)
    year = _stated_year(groups, context)
    return _UNKNOWN if year is None else _months(year, length * (number - 1) + 1, length)


@_rule(
    r"(?:(?i:in|over|during) )?(?:{step} |(?i:the) )?(?:{extent} )?{season}{of_year}",
    r"(?:(?i:in|over|during) )?(?:{step}|(?P<that>(?i:that))|(?i:the)) {season}",
)
def _season(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``the summer of 1961``, ``last summer``, ``in the spring``."""
    groups = match.groupdict()
    month = _SEASONS[groups["season"].casefold()]
    step = (groups.get("step") or "").casefold().split()
    dated = _states_year(groups)
    if groups.get("that"):
        return _months(context.base.first.year, month, 3) if context.base and context.base.has_year else None
    if not dated and not step and not re.match(r"(?i)in|over|during", match[0]):
        return None
    if not dated and groups["season"].casefold() in ("fall", "spring") and not step and context.ahead is None:
        return None
    if dated:
        year = _stated_year(groups, context)
        return _UNKNOWN if year is None else _months(year, month, 3)
    if context.known is None:
        return _UNKNOWN
    today = context.known.first
    years = [_months(today.year + offset, month, 3) for offset in (-2, -1, 0, 1)]
    ahead = _STEPS[step[-1]] > 0 if step and step[-1] != "this" else context.ahead
    if step[-1:] == ["this"]:
        return years[2]
    if ahead:
        return next(period for period in years if period.first > today)
    return next(period for period in reversed(years) if period.first <= today)


def _months(year: int, month: int, count: int) -> Period:
    return Period(date(year, month, 1), Period.of_month(*month_later((year, month), count - 1)).last)


@_rule(
    r"(?i:the) (?:{extent}(?: |-))?(?P<decade>(?:1[5-9]|20)\d0)(?: ?’)?s",
    r"(?i:the) (?:{extent}(?: |-))?(?P<named>(?i:twen|thir|for|fif|six|seven|eigh|nine)(?i:ties))",
    r"(?i:the) (?P<century>1[5-9]|2[01])th[ -](?i:century)",
)
def _decade(match: re.Match[str], context: _Context) -> Period | None:
    """``the early 1990s``, ``the nineties``, ``the 18th century``."""
    groups = match.groupdict()
    if groups.get("century"):
        first = 100 * (int(groups["century"]) - 1)
        return Period(date(first, 1, 1), date(first + 99, 12, 31))
    if groups.get("named"):
        if _word_before(context) not in ("in", "of", "during", "since", "from"):
            return None
        tens = ("twen", "thir", "for", "fif", "six", "seven", "eigh", "nine")
        first = 1920 + 10 * next(n for n, stem in enumerate(tens) if groups["named"].casefold().startswith(stem))
    else:
        first = int(groups["decade"])
        if first % 100 == 0 and first < 2000:
            return _part(Period(date(first, 1, 1), date(first + 99, 12, 31)), groups.get("extent"))
    return _part(Period(date(first, 1, 1), date(first + 9, 12, 31)), groups.get("extent"))


_BEFORE_YEAR = frozenset(
    {"in", "since", "of", "from", "until", "till", "by", "during", "through", "the", "early", "late", "mid", "before"}
    | {"after", "around", "about", "between", "and", "to", "(", "its", "his", "her", "their", "’s"}
)
_BEFORE_AMOUNT = frozenset({"of", "to", "about", "around", "by", "and", "from", "the", "its", ","})


@_rule(
    r"(?:(?:(?i:the) )?{extent}(?: (?i:of) | ?- ?| )(?:(?i:the) )?)?(?P<year>(?:1[5-9]|20)\d\d)"
    r"(?: ?[-–/] ?(?P<until>(?:1[5-9]|20)\d\d|\d\d))?",
)
def _year(match: re.Match[str], context: _Context) -> Period | StatedTime | None:
    """``in 2017``, ``the 2017 fire``, ``early 2023``, ``2019-2021``."""
    groups = match.groupdict()
    extent = groups.get("extent")
    year = int(groups["year"])
    before = _word_before(context)
    after = context.text[match.end() :].split(" ", 3)[1:]
    if not extent and before not in _BEFORE_YEAR:
        return None
    counted = re.fullmatch(r"(?!was|has|is|as)[a-z]+s|people|men|women", after[0]) if after else None
    if not extent and before in _BEFORE_AMOUNT and counted:
        return None  # "about 2000 dollars"
    if any(re.fullmatch(_STREET, word) for word in after[:2]):
        return None  # "the area of 1915 Birch St."
    today = context.today
    if today is not None and today.has_year and year > today.first.year + _MOST_YEARS_AHEAD:
        return None
    if groups.get("until"):
        last = int(groups["until"])
        last += year // 100 * 100 if last < 100 else 0
        return Period(date(year, 1, 1), date(last, 12, 31)) if year < last <= year + 100 else None
    return StatedTime(0, 0, _part(Period.of_year(year), extent), _year_looks_back(year, today))


_STREET = r"(?i)block|street|st\.?|avenue|ave\.?|road|rd\.?|drive"


def _year_looks_back(year: int, today: Period | None) -> bool:
    return year < today.first.year if today is not None and today.has_year else today is not None


def _week(day: date) -> Period:
    monday = day - timedelta(day.weekday())
    return Period(monday, monday + timedelta(6))


def _days_before(today: Period, days: int) -> Period:
    """The days up to today."""
    return Period((today.shifted(-days) or today).first, today.last)
