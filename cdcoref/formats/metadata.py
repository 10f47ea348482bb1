"""What is known about a document: found in its beginning and the name of its file, or stated by its source.

Of the beginning only what is plain is taken; nothing is guessed from running text.
"""

import math
import re
from calendar import month_abbr
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import dropwhile, islice
from typing import Any

from dateutil.parser import parse

from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.language import HEADER_LINES, byline_author, date_of, day_in, day_in_name, is_date_line, is_header_line
from cdcoref.word_tables import rows
from cdlm.printing import counted

LONGEST_HEADLINE = 160
"""In characters."""
USUAL_NAMES: dict[str, list[str]] = {}
for _row in filter(lambda row: row["field"], rows("field_names.tsv")):
    USUAL_NAMES.setdefault(_row["field"], []).append(_row["name"])
"""The names under which tables and collectors of news have texts and metadata, the most usual first."""
_WHOLE_NAMES = frozenset(name for names in USUAL_NAMES.values() for name in names)
SUMMARIES = tuple(USUAL_NAMES.pop("summary"))
"""The names of the field in which news services put a summary."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECONDS = re.compile(r"(1\d{9})(?:\d{3})?(?:\.\d+)?")
_PLAIN_DAY = re.compile(r"((?:19|20)\d{6})(?:T?\d{4}(?:\d\d)?Z?)?")
_EXCEL_DAY = re.compile(r"[2-6]\d{4}(?:\.\d+)?")
_NUMBERS = re.compile(
    r"(\d{1,2})[./-](\d{1,2})(?:[./-](\d{4})|[./](\d\d))(?:,?\s+\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]m)?)?", re.IGNORECASE
)
_BY = re.compile(r"\A\s*by\s+(?=\S)", re.IGNORECASE)
_MONTH = re.compile("|".join(month_abbr[1:]), re.IGNORECASE)
_DEFAULTS = datetime(2000, 1, 1), datetime(2001, 2, 2)
_BEGINNING = 4000
"""Characters of the text that are looked at."""

_REGION = r",\s(?:[A-Z][a-z]+\.?|[A-Z][A-Z.]+)(?:\s[A-Z][a-z]+)?(?![\w ]*[0-9])"
_DATELINE = re.compile(
    rf"(?P<place>[A-Z][A-Z.'’-]+(?:\s[A-Z][A-Z.'’-]+)*(?:{_REGION})?)"
    r"(?:,\s+(?P<date>[^()—–\n]{3,24}?))?\s*(?:\((?P<source>[A-Z][\w&. ]{1,30})\))?"
    r"\s*(?:[—–]|--?|(?<=[0-9])\.)\s+\S"
)
_ENDS = tuple(".,:;")
_CLOSING = "\"'”’)"


def found_metadata(text: str, id: str) -> dict[str, str]:
    """The metadata that the beginning of a text and its id, usually the name of its file, state.

    These are ``"title"``, ``"author"``, ``"date"`` (ISO 8601), ``"source"`` and ``"place"``, those that were found.

    >>> found_metadata("Ferry sinks\\n\\nBy Ann Lee\\n\\nTRESK, 5 March 2024 (Reuters) - A ferry sank.", "a.txt")
    {'title': 'Ferry sinks', 'author': 'Ann Lee', 'place': 'TRESK', 'source': 'Reuters', 'date': '2024-03-05'}
    """
    lines = [line.strip() for line in text[:_BEGINNING].splitlines() if line.strip()]
    found: dict[str, str] = {}
    report = list(dropwhile(is_header_line, lines[:HEADER_LINES]))
    if len(report) > 1 and _is_headline(report[0]):
        found["title"] = " ".join(report[0].split())
    dates = [day_in_name(id)]
    for line in islice(lines, HEADER_LINES):
        if author := byline_author(line):
            found.setdefault("author", author)
            dates.append(day_in(line))
        elif dateline := _DATELINE.match(line):
            found.setdefault("place", dateline["place"])
            if dateline["source"]:
                found.setdefault("source", dateline["source"])
            dates.append(day_in(dateline["date"] or ""))
        elif is_date_line(line):
            dates.append(day_in(line))
    day = next(filter(None, dates), None)
    if day is not None:
        found["date"] = day
    return found


def usual_fields(names: Sequence[str]) -> dict[str, str]:
    """Which of some names, in any capitals, stand for a text and its metadata: whole, or by their last word.

    >>> usual_fields(["Author(s)", "webPublicationDate", "body"])
    {'text': 'body', 'date': 'webPublicationDate', 'author': 'Author(s)'}
    """
    if "annotation_id" in names:  # Label Studio's, which says when the annotation was created
        names = [name for name in names if name != "created_at"]
    by_name = {name.strip().lower(): name for name in reversed(names)}
    others = [name for name in reversed(names) if name.strip().lower() not in _WHOLE_NAMES]  # not "Headline text"
    by_last_word = {words[-1].lower(): name for name in others if (words := _WORDS.findall(name.replace("(s)", "s")))}
    fields: dict[str, str] = {}
    for ours, usual in USUAL_NAMES.items():
        called = (names_of.get(one) for names_of in (by_name, by_last_word) for one in usual)
        theirs = next((name for name in called if name is not None and name not in fields.values()), None)
        if theirs is not None:
            fields[ours] = theirs
    return fields


def stated_date(value: Any, day_first: bool | None = None) -> Any:
    """A date in metadata as ISO 8601, if it is unambiguous, else as it is; one that is ISO 8601 keeps its time.

    It reads seconds and milliseconds since 1970, days without separators, Excel's numbers of days, figures if only one
    can be the month, if dots or hyphens separate them, or if `day_first` says which of them is the day, and days that
    `day_in` or, if they name the month, dateutil reads. Of years in two figures, 69 is the first of the last century.

    >>> stated_date("1715590800"), stated_date(20190815093000), stated_date("13/05/2024"), stated_date("5/6/2024")
    ('2024-05-13', '2019-08-15', '2024-05-13', '5/6/2024')
    >>> stated_date("9th February 2025"), stated_date("2025/2/9"), stated_date("13/5/98"), stated_date("2025-02-09T17")
    ('2025-02-09', '2025-02-09', '1998-05-13', '2025-02-09T17')
    >>> stated_date("Mar-09-2025"), stated_date("9-Mar-25 17:30"), stated_date("March 2025"), stated_date("Sunday")
    ('2025-03-09', '2025-03-09', 'March 2025', 'Sunday')
    """
    text = str(value).strip()
    try:
        if seconds := _SECONDS.fullmatch(text):
            return datetime.fromtimestamp(int(seconds[1]), UTC).date().isoformat()
        if _EXCEL_DAY.fullmatch(text):
            return (date(1899, 12, 30) + timedelta(int(float(text)))).isoformat()
        if plain := _PLAIN_DAY.fullmatch(text):
            return date.fromisoformat(plain[1]).isoformat()
        if numbers := _NUMBERS.fullmatch(text):
            first, second = int(numbers[1]), int(numbers[2])
            year = int(numbers[3]) if numbers[3] else (int(numbers[4]) + 31) % 100 + 1969
            if first > 12 or second > 12 or first == second:
                day_first = first > 12
            elif "/" not in text:
                day_first = True
            if day_first is not None:
                day, month = (first, second) if day_first else (second, first)
                return date(year, month, day).isoformat()
        elif whole := day_in(text):
            return value if text.startswith(whole) else whole
        elif _MONTH.search(text):
            # They differ if the text states no whole day.
            days = {parse(text, default=default, ignoretz=True).date() for default in _DEFAULTS}
            return value if len(days) > 1 else days.pop().isoformat()
    except (ValueError, OverflowError):
        pass
    return value


def is_day_first(values: Iterable[Any]) -> bool | None:
    """Whether dates in figures have the day before the month; None if none of them shows it, or not all agree."""
    numbers = [(int(match[1]), int(match[2])) for value in values if (match := _NUMBERS.fullmatch(str(value).strip()))]
    orders = {first > 12 for first, second in numbers if max(first, second) > 12}
    return orders.pop() if len(orders) == 1 else None


def with_stated(document: Document, stated: Mapping[str, Any]) -> Document:
    """The document with metadata that its source states, which take precedence over what was found."""
    known = {name: without_by(value, name) for name, value in stated.items()}
    return replace(document, metadata={**document.metadata, **known}, found=frozenset(document.found - stated.keys()))


def without_by(value: Any, name: str) -> Any:
    """A value of metadata; of an author, the names in a byline."""
    return _BY.sub("", value) if name == "author" and isinstance(value, str) else value


def plain_value(value: Any) -> Any:
    """A value as JSON has it; None for one that it does not have, and for a number that is none."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, list):
        return [plain for entry in value if (plain := plain_value(entry)) is not None] or None
    if isinstance(value, dict):
        return {str(name): plain_value(entry) for name, entry in value.items()} or None
    return value if isinstance(value, str | int | float | bool) else None


def _is_headline(line: str) -> bool:
    """Whether a line is a headline: no sentence and no dateline, but words."""
    ended = line.rstrip(_CLOSING).endswith(_ENDS)
    words = line.split()
    plain = _DATELINE.match(line) is None and re.search(r"[^\W\d_]", line) is not None
    return plain and not ended and len(words) > 1 and len(line) <= LONGEST_HEADLINE and not line[0].islower()


def day_of(id: str, text: str, metadata: Mapping[str, Any]) -> str | None:
    """The day of a document (ISO 8601): of its date, if it has one, else of its id or the beginning of its text.

    >>> day_of("2024-03-05.txt", "", {}), day_of("a", "", {"date": "6 March 2024"}), day_of("a", "", {})
    ('2024-03-05', '2024-03-06', None)
    """
    stated = metadata.get("date")
    return (day_in(stated) if isinstance(stated, str) else None) or date_of(id, text)


def checked_day(since: str) -> str:
    """A day that a user named, as ISO 8601; an `InputError` if it is none."""
    day = day_in(since)
    if day is None:
        raise InputError(f"{since!r} is not a day; give it as 2024-03-05")
    return day


def select_documents(corpus: Corpus, since: str | None = None, source: str | None = None) -> Corpus:
    """The documents of a day (``"2024-03-05"``) or later, and of a source; notes count the chosen and the undated."""
    if since is None and source is None:
        return corpus
    first = None if since is None else checked_day(since)
    chosen = []
    undated = 0
    for document in corpus.documents:
        of = document.metadata.get("source")
        if source is not None and not (isinstance(of, str) and of.strip().casefold() == source.strip().casefold()):
            continue
        if first is not None:
            day = day_of(document.id, document.text, document.metadata)
            undated += day is None
            if day is None or day < first:
                continue
        chosen.append(document.id)
    notes = [f"{counted(len(chosen), 'document')} of {len(corpus.documents):,} chosen"]
    if undated:
        notes.append(f"{counted(undated, 'document')} without a known date left out by --since")
    return replace(corpus.subset(chosen), notes=(*corpus.notes, *notes))
