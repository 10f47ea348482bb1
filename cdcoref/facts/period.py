"""Spans of days, as exact as a text states them: how they are compared, shifted and shown. A day without a year ("Aug.
6") counts in a year of its own, `UNKNOWN_YEAR`."""

from __future__ import annotations

import re
from calendar import day_name, monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

UNKNOWN_YEAR = 400
"""The year in which a text without one counts; a leap year."""
_FIRST_KNOWN_YEAR = 1000
_END = r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-\d\d)?)?"
_ISO = re.compile(rf"{_END}(?:/{_END})?", re.ASCII)
_MONTHS_SHOWN = ("Jan.", "Feb.", "March", "April", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.")
_LONGEST_WITHOUT_YEAR = 300
"""In days; a longer period of a text without a year is in conflict with none of another year."""


@dataclass(frozen=True, slots=True)
class Period:
    """A span of days.

    `first`, `last`: Its first and its last day; the same for a single day.
    `weekday`: The day of the week, from 0 for Monday, if nothing else is known: the period is then all of
        `UNKNOWN_YEAR`. None if more is known.
    """

    first: date
    last: date
    weekday: int | None = None

    @classmethod
    def of_day(cls, day: date) -> Period:
        """A single day."""
        return cls(day, day)

    @classmethod
    def of_month(cls, year: int, month: int, count: int = 1) -> Period:
        """A month, or several from it on; month 13 is the first of the next year, 0 the last of the one before."""
        (year, month), (end_year, end) = divmod(12 * year + month - 1, 12), divmod(12 * year + month + count - 2, 12)
        return cls(date(year, month + 1, 1), date(end_year, end + 1, monthrange(end_year, end + 1)[1]))

    @classmethod
    def of_year(cls, year: int) -> Period:
        """A year."""
        return cls(date(year, 1, 1), date(year, 12, 31))

    @classmethod
    def of_weekday(cls, weekday: int) -> Period:
        """An unknown day with a known weekday, from 0 for Monday."""
        return cls(date(UNKNOWN_YEAR, 1, 1), date(UNKNOWN_YEAR, 12, 31), weekday)

    @classmethod
    def of_iso(cls, text: str) -> Period | None:
        """What is written as ``2017``, ``2017-08``, ``2017-08-06`` or ``2017-08-01/2017-08-05``; else None."""
        try:
            ends = [[*map(int, end.split("-"))] for end in text.split("/")] if _ISO.fullmatch(text) else []
            spans = [(cls.of_day(date(*e)) if e[2:] else cls.of_month(*e) if e[1:] else cls.of_year(*e)) for e in ends]
        except ValueError:
            return None
        whole = cls(spans[0].first, spans[-1].last) if spans else None
        return whole if whole is not None and whole.days > 0 and whole.has_year else None

    @property
    def has_year(self) -> bool:
        """Whether its year is known."""
        return self.first.year >= _FIRST_KNOWN_YEAR

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    def shifted(self, days: int) -> Period | None:
        """The period some days later, or earlier; None where no calendar goes."""
        try:
            return Period(self.first + timedelta(days), self.last + timedelta(days))
        except OverflowError:
            return None

    def contains(self, other: Period) -> bool:
        """Whether the other lies in it; no weekday holds anything but itself."""
        if self.weekday is not None:
            return self == other
        return self.first <= other.first and other.last <= self.last

    def gap(self, other: Period) -> int:
        """How many days lie between two periods, at least, counting the last; 0: they have a day in common.

        If the year of only one is known, the other is laid into that year, or the one before or after it.
        """
        if self.has_year == other.has_year:
            return max(0, (self.first - other.last).days, (other.first - self.last).days)
        dated, other = (self, other) if self.has_year else (other, self)
        other = other.near(dated)
        return dated.gap(other) if other.has_year else 0

    def near(self, other: Period) -> Period:
        """This period in the year that brings it nearest to the other, if only its year is unknown."""
        unknown = self.first.year == UNKNOWN_YEAR == self.last.year and self.days <= _LONGEST_WITHOUT_YEAR
        if not (unknown and other.has_year):
            return self
        years = (relativedelta(year=year) for year in range(other.first.year - 1, other.last.year + 2))
        return min((Period(self.first + year, self.last + year) for year in years), key=other.gap)

    def __str__(self) -> str:
        """As ISO 8601 (part 2 for unknown years): ``2017``, ``2017-08``, ``2017-W31``, ``2017-08-01/2017-08-05``.

        Without a year it is ``XXXX-08-06``. A weekday is ``XXXX-WXX-5`` (a Friday) and a quarter ``2017-Q3``, as in
        TIMEX3.
        """
        if self.weekday is not None:
            return f"XXXX-WXX-{self.weekday + 1}"
        if self.days == 1:
            return _iso(self.first)
        if self == Period.of_year(self.first.year):
            return f"{self.first.year:04d}" if self.has_year else ""
        if self == Period.of_month(self.first.year, self.first.month):
            return _iso(self.first)[:-3]
        if self.has_year and self.days == 7 and self.first.weekday() == 0:
            return "{}-W{:02d}".format(*self.first.isocalendar())
        quarter, rest = divmod(self.first.month - 1, 3)
        if self.has_year and not rest and self == Period.of_month(self.first.year, self.first.month, 3):
            return f"{self.first.year}-Q{quarter + 1}"
        return f"{_iso(self.first)}/{_iso(self.last)}"

    def shown(self) -> str:
        """The period for a reader, without an unknown year: ``6 Aug. 2025``, ``2025``, ``1–7 Aug.``, ``Friday``."""
        if self.weekday is not None:
            return day_name[self.weekday]
        year = f" {self.first.year}" if self.has_year else ""
        month = _MONTHS_SHOWN[self.first.month - 1]
        if self.days == 1:
            return f"{self.first.day} {month}{year}"
        if self == Period.of_year(self.first.year):
            return year.strip()
        if self == Period.of_month(self.first.year, self.first.month):
            return month + year
        if (self.first.year, self.first.month) == (self.last.year, self.last.month):
            return f"{self.first.day}–{self.last.day} {month}{year}"
        start, end = Period.of_day(self.first).shown(), Period.of_day(self.last).shown()
        return f"{start} – {end}"


def _iso(day: date) -> str:
    return day.isoformat() if day.year >= _FIRST_KNOWN_YEAR else f"XXXX-{day.month:02d}-{day.day:02d}"
