"""Which happening an event mention means: when, where, with whom and how many, found in the text without a model.

A document and its mentions in, the circumstances of every event mention out, each with the tokens that state it and how
near they are: its own clause, its sentence, or the document, whose day and place are the default of its main event.
"""

from cdcoref.circumstances.clause_settings import clauses_of
from cdcoref.circumstances.document_days import day_of
from cdcoref.circumstances.event_circumstances import (
    Circumstances,
    DocumentCircumstances,
    Participant,
    StatedQuantity,
    circumstances_of,
)
from cdcoref.circumstances.event_conflicts import AGREEMENT, CircumstanceTables, main_events_differ
from cdcoref.circumstances.gazetteer import Place, places_named, state_shortened
from cdcoref.circumstances.main_event import Setting
from cdcoref.circumstances.people import ages_in, full_names, offices_in, roles_of
from cdcoref.circumstances.periods import Period
from cdcoref.circumstances.places import CONTINENTS, capitalised, dateline_end, places_in
from cdcoref.circumstances.quantities import PEOPLE, Quantity, counts_in
from cdcoref.circumstances.relations import RELATIONS, is_object
from cdcoref.circumstances.sentences import Source
from cdcoref.circumstances.times import times_in

__all__ = [
    "AGREEMENT",
    "CONTINENTS",
    "PEOPLE",
    "RELATIONS",
    "CircumstanceTables",
    "Circumstances",
    "DocumentCircumstances",
    "Participant",
    "Period",
    "Place",
    "Quantity",
    "Setting",
    "Source",
    "StatedQuantity",
    "ages_in",
    "capitalised",
    "circumstances_of",
    "clauses_of",
    "counts_in",
    "dateline_end",
    "day_of",
    "full_names",
    "is_object",
    "main_events_differ",
    "offices_in",
    "places_in",
    "places_named",
    "roles_of",
    "state_shortened",
    "times_in",
]
