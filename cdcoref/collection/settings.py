"""What a collection is made with: its model, its options, and what clustering needs of the model, stored as JSON."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any, Literal

from cdcoref.predict import LEMMA, PredictionOptions

MAX_PAIRS = 20


@dataclass(frozen=True, slots=True)
class CollectionOptions:
    """How the mentions of a collection are linked; every addition and every rebuild goes by it.

    Attributes
    ----------
    kind, threshold, max_windows
        As in :class:`cdcoref.predict.PredictionOptions`.
    max_pairs
        A new document is read together with at most so many of its story, the nearest by TF-IDF; None: with all.
    across_stories
        As in :class:`cdcoref.predict.PredictionOptions`.
    """

    kind: Literal["event", "entity", "both"] = "both"
    threshold: float | None = None
    max_pairs: int | None = MAX_PAIRS
    max_windows: int | None = None
    across_stories: bool = True

    def __post_init__(self) -> None:
        self.prediction(1)

    def prediction(self, batch_tokens: int) -> PredictionOptions:
        """The options with which all documents are predicted at once.

        Raises
        ------
        InputError
            If a value is out of its range.
        """
        return PredictionOptions(
            self.kind,
            "predicted",
            self.threshold,
            self.max_pairs,
            self.max_windows,
            batch_tokens,
            across_stories=self.across_stories,
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """What a collection is made with.

    Attributes
    ----------
    model
        As :func:`cdcoref.predict.load` takes it.
    options
        How mentions are linked.
    fingerprint
        Of the model that has read documents; None until one has.
    clustering
        That model's configuration, see :class:`cdcoref.model.CorefConfig`.
    """

    model: str
    options: CollectionOptions
    fingerprint: str | None = None
    clustering: dict[str, Any] | None = None

    def differences(self, other: Settings) -> str:
        """The settings that differ from others, with their values here: "the model 'lemma', threshold 0.4"."""
        own, others = asdict(self.options), asdict(other.options)
        found = [f"the model {self.model!r}"] if self.model != other.model else []
        for name, value in own.items():
            if value != others[name]:
                shown = "unset" if value is None else ("off", "on")[value] if isinstance(value, bool) else value
                found.append(f"{name.replace('_', ' ')} {shown}")
        return ", ".join(found)

    @property
    def lemma(self) -> bool:
        """Whether mentions are linked by head lemma, without a model."""
        return self.model == LEMMA

    @property
    def across_stories(self) -> bool:
        """Whether entities are linked by name across stories about one subject."""
        of_model = (self.clustering or {}).get("names_across_stories", True)
        return bool(self.options.across_stories and of_model and not self.lemma)


def stored_value(connection: sqlite3.Connection, name: str, default: Any = None) -> Any:
    """A value by its name."""
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return default if row is None else json.loads(row[0])


def store_value(connection: sqlite3.Connection, name: str, value: Any) -> None:
    """Store a value under a name."""
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, json.dumps(value)))


def stored_settings(connection: sqlite3.Connection) -> Settings | None:
    """What the collection is made with; None if that has not been stored yet.

    Raises
    ------
    sqlite3.DatabaseError
        If what is stored is damaged.
    """
    try:
        known = stored_value(connection, "settings")
        if known is None:
            return None
        return Settings(**{**known, "options": CollectionOptions(**known["options"])})
    except (ValueError, TypeError, KeyError) as error:
        raise sqlite3.DatabaseError("the settings are damaged") from error


def store_settings(connection: sqlite3.Connection, settings: Settings) -> None:
    """Store what the collection is made with."""
    store_value(connection, "settings", asdict(settings))
