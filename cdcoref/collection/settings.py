"""What a collection is made with: its model, its options, and what clustering needs of the model, stored as JSON."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from cdcoref import model as models
from cdcoref.errors import InputError
from cdcoref.predict import LEMMA, PredictionOptions

OPTIONS = PredictionOptions(max_pairs=20)
"""Those of a collection, unless others are chosen."""
KEPT = ("kind", "threshold", "max_pairs")
"""The options that every addition and every rebuild goes by; a collection has no others."""


def kept_options(options: PredictionOptions) -> dict[str, Any]:
    """The options that a collection keeps, by name."""
    kept = {name: getattr(options, name) for name in KEPT}
    ignored = [field.name for field in fields(options) if getattr(options, field.name) != field.default]
    if others := [name for name in ignored if name not in KEPT]:
        raise InputError(f"a collection has no option {others[0]!r}; choose from {', '.join(KEPT)}")
    return kept


@dataclass(frozen=True, slots=True)
class Settings:
    """The model and options; `fingerprint` and `clustering` are its hash and configuration, once it has read."""

    model: str
    options: PredictionOptions
    fingerprint: str | None = None
    clustering: dict[str, Any] | None = None

    def differences(self, other: Settings) -> str:
        """The settings that differ, with both values: "the model 'lemma' (not 'small'), threshold 0.4 (not unset)"."""
        own, others = ({"the model": repr(s.model), **kept_options(s.options)} for s in (self, other))
        shown = ((name.replace("_", " "), value, others[name]) for name, value in own.items() if value != others[name])
        return ", ".join(f"{name} {_shown(value)} (not {_shown(other)})" for name, value, other in shown)

    @property
    def lemma(self) -> bool:
        """Whether mentions are linked by head lemma, without a model."""
        return self.model == LEMMA

    @property
    def config(self) -> models.CorefConfig | None:
        """The model's configuration with the collection's options; None by lemma, and before one has read."""
        if self.clustering is None:
            return None
        return self.options.configure(models.CorefConfig.from_dict(self.clustering))

    @property
    def across_stories(self) -> bool:
        """Whether entities are linked by name across stories about one subject."""
        return bool((self.clustering or {}).get("names_across_stories", True) and not self.lemma)


def _shown(value: object) -> object:
    return "unset" if value is None else value


def stored_value(connection: sqlite3.Connection, name: str, default: Any = None) -> Any:
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return default if row is None else json.loads(row[0])


def store_value(connection: sqlite3.Connection, name: str, value: Any) -> None:
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, json.dumps(value)))


def has_settings(connection: sqlite3.Connection) -> bool:
    """Whether settings have been stored, which is done once the tables are made."""
    return connection.execute("SELECT 1 FROM settings WHERE name = 'settings'").fetchone() is not None


def stored_settings(connection: sqlite3.Connection) -> Settings:
    try:
        known = stored_value(connection, "settings")
        options = {name: value for name, value in known["options"].items() if name in KEPT}  # earlier ones had more
        return Settings(**{**known, "options": replace(OPTIONS, **options)})
    except (ValueError, TypeError, KeyError) as error:
        raise sqlite3.DatabaseError("the settings are damaged") from error


def store_settings(connection: sqlite3.Connection, settings: Settings) -> None:
    store_value(connection, "settings", {**asdict(settings), "options": kept_options(settings.options)})
