"""Dates and times of a sentence: its words and the day of its document in, periods with their places out.

Dates in words and figures, weekdays, "yesterday", "last month", "two days ago", "over the weekend", "the 2017 fire".
What is relative is resolved against the document's day; where that is unknown, so is the period.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from cdcoref.facts import UNKNOWN_YEAR, Period, month_later
from cdcoref.language import MONTHS, NUMERALS, WEEKDAYS, date_name, word_set

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHORT_MONTHS = {month[:3]: month for month in MONTHS} | {"sept": "september"}
_YEAR = re.compile(r"(1[89]|20)\d\d")
_DAY = re.compile(r"(0?[1-9]|[12]\d|3[01])(st|nd|rd|th)?", re.IGNORECASE)
_ISO = re.compile(r"((?:1[89]|20)\d\d)[-/.](0?[1-9]|1[0-2])[-/.]([0-3]?\d)")
_WITH_STOPS = re.compile(r"(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.((?:1[89]|20)\d\d)")
_AMERICAN = re.compile(r"(0?[1-9]|1[0-2])/([0-3]?\d)/((?:1[89]|20)?\d\d)")
_BEFORE_YEAR = word_set("""
in since of from until till by during through the early late mid before after around about to between and
""")
_SOON, _AHEAD, _LONG_AGO = 3, 60, 300
"""Days: what is so near is this year's; what lies between so near and so far ahead may be either year's; what is so
long ago is next year's where the sentence looks ahead."""
_VERBS = frozenset({"was", "is", "has", "as"})
"""Words with an "s" at their ends that are no plurals."""
_BEFORE_AMOUNT = frozenset({"of", "to", "about", "around", "by", "and", "from"})
_SHORTEST_VERB = 4
_DIVIDED = 5
"""The words of a date in figures whose signs are words of their own."""
_UNITS = {"day": 1, "night": 1, "week": 7, "month": 30, "year": 365, "decade": 3652}
_STEPS = {"following": 1, "next": 1, "previous": -1, "later": 1, "earlier": -1, "after": 1, "before": -1}
"""Words that lead from a day that was stated to a later or an earlier one."""
_PARTS_OF_DAY = frozenset({"morning", "afternoon", "evening", "night", "noon", "midnight"})
_BEFORE_WEEKDAY = frozenset({"last", "this", "next", "early", "late"})
_FUTURE = word_set("will would shall 'll due scheduled expected plans planned next upcoming tomorrow")
_PAST = word_set("""
was were had did been began broke came died fell found held hit killed left lost made met said shot struck took told
went won
""")
_UNPLANNED = word_set("""
accident attack attacks blast blaze bombing bombings clashes collision crash death deaths defeat disaster earthquake
explosion fire incident killing killings loss murder murders outage quake riot riots setback shooting shootings stabbing
victory win
""")
"""What is known only afterwards: "Friday's win" is past, though "who will miss the final after" stands before it."""
_LONGEST_MODIFIER = 4
"""Words between "Friday's" and the noun, at most ("Friday's 3-0 league cup win")."""
_ENDS_MODIFIER = word_set(", . ; ( ) after against and at before but by for from in of on or that to which who with")
_AFTER_REFERENCE = word_set("""
a after also an and as at because before but by for from he her his in it its on or she so the their they to until was
we were when where while who with
""")
"""Words after "that November" if "that" refers to a year; another one is what the month belongs to."""
_JOINS = frozenset({"and", "to", "until", "till", "through", "-", "–"})
"""Words between the two ends of a range ("from Monday to Wednesday"), after "between" only "and"."""
_AFTER_NUMBERS = word_set("block street st. st avenue ave. ave road rd. rd drive")
"""What follows the number of a house, which may look like a year."""


@dataclass(frozen=True, slots=True)
class StatedTime:
    """A date or time in a sentence.

    Attributes
    ----------
    start, end
        Its words in the sentence, end exclusive.
    period
        What it means; None if that is unknown.
    looks_back
        Whether it looks back to another year than the document's ("in 2017", "last year").
    weekday
        The day of the week, from 0 for Monday, where that is all that is known of the period.
    """

    start: int
    end: int
    period: Period | None
    looks_back: bool = False
    weekday: int | None = None


def times_in(words: Sequence[str], today: Period | None, before: Period | None = None) -> list[StatedTime]:
    """The dates and times of a sentence, in order; none overlap.

    Parameters
    ----------
    words
        The sentence.
    today
        The day of its document, or the span of days that it may be of; None if unknown.
    before
        The last time with a year that was stated before the sentence, which "that November" refers to.
    """
    lower = [word.casefold() for word in words]
    ahead = not _FUTURE.isdisjoint(lower)
    found: list[StatedTime] = []
    place = 0
    while place < len(words):
        one = _referring(words, lower, place, today, before)
        one = one or _from_stated_day(lower, place, before)
        one = one or _time_at(words, lower, place, today, ahead and _looks_ahead(lower, place))
        if one is not None and one.period is not None and one.period.has_year:
            before = one.period
        if one is None:
            place += 1
        elif found and (whole := _range(found[-1], one, lower)) is not None:
            found[-1] = whole
            place = one.end
        else:
            found.append(one)
            place = one.end
    return found


def _range(one: StatedTime, other: StatedTime, lower: Sequence[str]) -> StatedTime | None:
    """The time from one to another ("between 2021 and 2023", "from Monday to Wednesday"); None for separate times."""
    before = lower[one.start - 1] if one.start else ""
    if other.start != one.end + 1 or before not in ("between", "from") or lower[one.end] not in _JOINS:
        return None
    if (before == "between") != (lower[one.end] == "and"):
        return None
    if one.period is None or other.period is None or one.period.has_year != other.period.has_year:
        return None
    if one.period.first > other.period.last:
        return None
    return StatedTime(one.start, other.end, Period(one.period.first, other.period.last), one.looks_back)


def _looks_ahead(lower: Sequence[str], place: int) -> bool:
    """Whether what happens at a time is still to come, by the nearest verb before it, or else the nearest after it.

    "He is due in court on Monday", "The strike that began on Monday will end": the second Monday is past.
    """
    for word in (*reversed(lower[:place]), *lower[place:]):
        if word in _FUTURE:
            return True
        if word in _PAST or (word.endswith("ed") and len(word) > _SHORTEST_VERB):
            return False
    return False


def quantity(words: Sequence[str], place: int) -> int | None:
    """The number that a word is ("3", "three", "a"); None for any other."""
    word = words[place]
    if word in ("a", "an", "one"):
        return 1
    number = NUMERALS.get(word, word)
    return int(number) if number.isdecimal() and len(number) <= 3 else None


def unit_of_time(word: str) -> int | None:
    """The days of a unit of time, in singular or plural; 0 for hours and minutes, None for any other word."""
    singular = word.removesuffix("s")
    if singular in ("hour", "minute", "second", "moment"):
        return 0
    return _UNITS.get(singular)


def _time_at(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """The date or time that begins at a word."""
    for look in (_in_figures, _month_and_day, _weekday, _near_day, _ago, _relative_unit, _year):
        found = look(words, lower, place, today, future)
        if found is not None:
            return found
    return None


def _referring(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, before: Period | None
) -> StatedTime | None:
    """``that November``, ``that year``, ``that day``, of a time that was stated before."""
    if lower[place] != "that" or before is None or place + 1 >= len(words) or before.first.year != before.last.year:
        return None
    following = lower[place + 2] if place + 2 < len(words) else ""
    if following.isalnum() and following not in _AFTER_REFERENCE:
        return None  # "said that November sales fell"
    year, month, noun = before.first.year, _month(words, place + 1), lower[place + 1]
    if month is not None:
        period = Period.of_month(year, month)
    elif noun == "year":
        period = Period.of_year(year)
    elif before.days == 1 and (noun == "day" or noun in _PARTS_OF_DAY):
        period = before
    else:
        return None
    now = today.first.year if today is not None and today.has_year else None
    return StatedTime(place, place + 2, period, looks_back=year < now if now else today is not None)


def _from_stated_day(lower: Sequence[str], place: int, before: Period | None) -> StatedTime | None:
    """``two days later``, ``a week earlier``, ``the following day``, ``the night before``, of a day that was stated."""
    if before is None or before.days > 1 or place + 2 >= len(lower):
        return None
    one, other = lower[place + 1 : place + 3]
    following = lower[place + 3] if place + 3 < len(lower) else ""
    days: int | None = None
    if other in ("later", "earlier") and (unit := unit_of_time(one)) in (1, 7):
        count = quantity(lower, place)
        days = None if count is None or unit is None else _STEPS[other] * count * unit
    elif lower[place] == "the" and one in ("following", "next", "previous") and following != "of":
        days = _STEPS[one] if other == "day" or other in _PARTS_OF_DAY else None
    elif lower[place] == "the" and other in ("after", "before") and not following.isalnum():
        days = _STEPS[other] if one == "day" or one in _PARTS_OF_DAY else None
    shifted = None if days is None else before.shifted(days)
    return None if shifted is None else StatedTime(place, place + 3, shifted)


def _in_figures(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """``2014-06-15``, ``15.06.2014``, ``6/15/2014``; also with every sign a word of its own."""
    if not words[place][:1].isdecimal():
        return None
    end = place + 1
    if place + _DIVIDED <= len(words) and words[end] in ("/", "-", ".") and words[end] == words[end + 2]:
        end = place + _DIVIDED
    figures = "".join(words[place:end])
    if match := _ISO.fullmatch(figures):
        year, month, day = map(int, match.groups())
    elif match := _WITH_STOPS.fullmatch(figures):
        day, month, year = map(int, match.groups())
    elif match := _AMERICAN.fullmatch(figures):
        month, day, year = map(int, match.groups())
        year += 2000 if year < 100 else 0
    else:
        return None
    exact = _day(year, month, day)
    return None if exact is None else StatedTime(place, end, exact)


def _month_and_day(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """``March 5 , 2024``, ``5 March 2024``, ``the 5th of March``, ``March 2024``, ``March``."""
    day: int | None = None
    end = place
    if (match := _DAY.fullmatch(words[place])) and end + 1 < len(words):
        end += 1 + (lower[end + 1] == "of")
        if end >= len(words) or (month := _month(words, end)) is None or _exact_number(words, place):
            return None
        day = int(match[1])
        end += 1
    elif (month := _month(words, place)) is not None:
        end += 1
        end += _stop_of_short_form(words, place)
        if end < len(words) and (match := _DAY.fullmatch(words[end])):
            after = lower[end + 1] if end + 1 < len(words) else ""
            if not (after.isalpha() and after.endswith("s") and date_name(after) is None and after not in _VERBS):
                day, end = int(match[1]), end + 1
    else:
        return None
    year: int | None = None
    comma = end < len(words) and words[end] == ","
    if end + comma < len(words) and _YEAR.fullmatch(words[end + comma]):
        year, end = int(words[end + comma]), end + comma + 1
    also_word = day is None and year is None and words[place].casefold() in ("may", "march")
    if also_word and (place == 0 or lower[place - 1] not in _BEFORE_YEAR | _BEFORE_WEEKDAY):
        return None
    looks_back = year is not None and today is not None and today.has_year and year < today.first.year
    if year is None and place and lower[place - 1] in ("last", "next") and today is not None:
        year = _year_of_month(month, today, future=lower[place - 1] == "next")
    elif year is None:
        year = UNKNOWN_YEAR if today is None or not today.has_year else _nearest_year(month, day, today, future)
        if year is None:
            return StatedTime(place, end, None)
    period = Period.of_month(year, month) if day is None else _day(year, month, day)
    return None if period is None else StatedTime(place, end, period, looks_back)


def _weekday(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """``Sunday``, ``last Sunday``, ``Sunday night``; of a date that follows it, only the date counts."""
    name = date_name(words[place])
    if name not in WEEKDAYS or words[place].islower():
        return None
    end = place + 1
    end += _stop_of_short_form(words, place)
    while end < len(words) and lower[end] in _PARTS_OF_DAY:
        end += 1
    comma = end < len(words) and words[end] in (",", "(")
    if end + comma < len(words):
        exact = _month_and_day(words, lower, end + comma, today, future)
        if exact is not None and exact.period is not None and exact.period.days == 1:
            return StatedTime(place, exact.end, exact.period, exact.looks_back)
    if today is None:
        return StatedTime(place, end, None, weekday=_WEEKDAYS.index(name))
    before = lower[place - 1] if place else ""
    future = before in ("next", "this", "coming") or (future and before != "last" and not _is_of_unplanned(lower, end))
    if not today.has_year or today.days > 1:
        span = Period(today.first, today.last + timedelta(6)) if future else _days_before(today, 6)
        return StatedTime(place, end, span)
    days = (today.first.weekday() - _WEEKDAYS.index(name)) % 7
    if future and before != "this":
        days = -(-days % 7 or 7) if before == "next" else -(-days % 7)
    elif before == "this":
        days = -(-days % 7) if not future or days > 3 else days
    return StatedTime(place, end, today.shifted(-days))


def _is_of_unplanned(lower: Sequence[str], place: int) -> bool:
    """Whether "'s" and a noun for something that nobody plans follow a day ("Friday's win")."""
    if place >= len(lower) or lower[place] not in ("'s", "’s"):
        return False
    for word in lower[place + 1 : place + 2 + _LONGEST_MODIFIER]:
        if word in _UNPLANNED or word in _ENDS_MODIFIER:
            return word in _UNPLANNED
    return False


def _near_day(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """``today``, ``yesterday``, ``this morning``, ``last night``, ``over the weekend``."""
    word = lower[place]
    after = lower[place + 1] if place + 1 < len(words) else ""
    days: int | None = None
    end = place + 1
    if word in ("today", "tonight"):
        days = 0
    elif word in ("yesterday", "tomorrow"):
        days = -1 if word == "yesterday" else 1
        end += after in _PARTS_OF_DAY
    elif word == "this" and after in _PARTS_OF_DAY:
        days, end = 0, place + 2
    elif word == "last" and after in ("night", "evening"):
        days, end = -1, place + 2
    elif word in ("the", "this", "last") and after == "weekend":
        if today is None:
            return StatedTime(place, place + 2, None)
        if not today.has_year or today.days > 1:
            return StatedTime(place, place + 2, _days_before(today, 8))
        saturday = today.shifted(-((today.first.weekday() - 5) % 7))
        assert saturday is not None
        return StatedTime(place, place + 2, Period(saturday.first, saturday.first + timedelta(1)))
    if days is None:
        return None
    return StatedTime(place, end, None if today is None else today.shifted(days))


def _ago(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """``two days ago``, ``a year ago``."""
    if place + 2 >= len(words) or lower[place + 2] != "ago":
        return None
    count, unit = quantity(lower, place), unit_of_time(lower[place + 1])
    if count is None or unit is None:
        return None
    if today is None:
        return StatedTime(place, place + 3, None, looks_back=unit >= 365)
    return StatedTime(place, place + 3, _before(today, count, unit), looks_back=unit * count >= 365)


def _relative_unit(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """``last week``, ``this month``, ``next year``; ``earlier this week``."""
    if lower[place] not in ("last", "this", "next") or place + 1 >= len(words):
        return None
    unit = lower[place + 1]
    if unit not in ("week", "month", "year"):
        return None
    count = {"last": -1, "this": 0, "next": 1}[lower[place]]
    back = unit == "year" and count < 0
    if today is None:
        return StatedTime(place, place + 2, None, looks_back=back)
    period: Period | None
    if unit == "week":
        period = Period(today.first, today.last) if not today.has_year else _week(today.first)
        if today.has_year:
            period = period.shifted(7 * count)
        else:
            period = _days_before(today, 13) if count < 0 else Period(_earlier(today, 6).first, today.last)
    elif unit == "month":
        period = Period.of_month(*month_later((today.first.year, today.first.month), count))
    else:
        period = Period.of_year(today.first.year + count)
    return StatedTime(place, place + 2, period, looks_back=back)


def _year(
    words: Sequence[str], lower: Sequence[str], place: int, today: Period | None, future: bool
) -> StatedTime | None:
    """``in 2017``, ``the 2017 fire``."""
    if not _YEAR.fullmatch(words[place]) or not place or lower[place - 1] not in _BEFORE_YEAR:
        return None
    year = int(words[place])
    now = today.first.year if today is not None and today.has_year else None
    after = words[place + 1] if place + 1 < len(words) else ""
    amount = lower[place - 1] in _BEFORE_AMOUNT and after.isalpha() and after.islower() and after.endswith("s")
    if amount and after not in _VERBS:
        return None  # "about 2000 dollars"
    if any(word.casefold() in _AFTER_NUMBERS for word in words[place + 1 : place + 3]):
        return None  # "the area of 1915 Birch St."
    if now is not None and year > now + 30:
        return None
    return StatedTime(place, place + 1, Period.of_year(year), looks_back=year < now if now else today is not None)


def _month(words: Sequence[str], place: int) -> int | None:
    """The number of the month that a word names."""
    word = words[place]
    name = date_name(word)
    if name in MONTHS:
        return MONTHS.index(name) + 1
    if not word[:1].isupper():
        return None
    name = word.casefold().rstrip(".")
    if name in ("march", "may"):
        return MONTHS.index(name) + 1
    following = words[place + 1] if place + 1 < len(words) else ""
    between = place > 0 and _DAY.fullmatch(words[place - 1]) and _YEAR.fullmatch(following)
    if name in SHORT_MONTHS and (_DAY.fullmatch(following) or following == "." or between):
        return MONTHS.index(SHORT_MONTHS[name]) + 1
    return None


def _stop_of_short_form(words: Sequence[str], place: int) -> bool:
    """Whether the full stop of a shortened name is a word of its own ("Sept ."), with a number behind it."""
    short = words[place].casefold() in SHORT_MONTHS and len(words[place]) > 2
    return short and place + 2 < len(words) and words[place + 1] == "." and bool(_DAY.fullmatch(words[place + 2]))


def _exact_number(words: Sequence[str], place: int) -> bool:
    """Whether a number is the end of a larger one, an age or a score."""
    return place > 0 and words[place - 1] in (".", ",", "-", "/", ":") and place > 1 and words[place - 2].isdecimal()


def _day(year: int, month: int, day: int) -> Period | None:
    try:
        return Period.of_day(date(year, month, day))
    except ValueError:
        return None


def _nearest_year(month: int, day: int | None, today: Period, future: bool) -> int | None:
    """The year of a day without one: of the last such day, or of the next one where the sentence looks ahead.

    None for a day of the coming weeks in a sentence that does not: either may be meant.
    """
    year = today.last.year
    candidate = _day(year, month, min(day or 1, 28))
    assert candidate is not None
    ahead = (candidate.first - today.last).days
    if future:
        return year + 1 if ahead < -_LONG_AGO else year
    if _SOON < ahead <= _AHEAD:
        return None
    return year - 1 if ahead > _SOON else year


def _year_of_month(month: int, today: Period, *, future: bool) -> int:
    if future:
        return today.last.year + (month <= today.last.month)
    return today.last.year - (month >= today.last.month)


def _before(today: Period, count: int, unit: int) -> Period | None:
    """The day, week, month or year some units ago."""
    if unit <= 1:
        return today.shifted(-count * unit)
    if unit == 30:
        return Period.of_month(*month_later((today.first.year, today.first.month), -count))
    if unit == 365:
        year = today.first.year - count
        return Period.of_year(year) if year >= 1 else None
    day = today.shifted(-count * unit)
    if day is None:
        return None
    half = 3 if unit == 7 else 1000
    return Period(_earlier(day, half).first, day.last + timedelta(half))


def _week(day: date) -> Period:
    monday = day - timedelta(day.weekday())
    return Period(monday, monday + timedelta(6))


def _earlier(period: Period, days: int) -> Period:
    shifted = period.shifted(-days)
    return period if shifted is None else shifted


def _days_before(today: Period, days: int) -> Period:
    """The days up to today."""
    return Period(_earlier(today, days).first, today.last)
