"""What the words of a document state, read from its parse: times, places, people, amounts, and of which event."""

from cdcoref.facts.parse import ENGLISH, Parse, parse, parse_of_doc

__all__ = ["ENGLISH", "Parse", "parse", "parse_of_doc"]
