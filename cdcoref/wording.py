"""How numbers are written in messages, tables and pages."""

from __future__ import annotations


def sureness(confidence: float) -> str:
    """A confidence with two digits; what would round to 1 is not certain.

    >>> sureness(0.984), sureness(0.9996)
    ('0.98', '0.99+')
    """
    shown = f"{confidence:.2f}"
    return "0.99+" if shown == "1.00" else shown


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number with what it counts.

    >>> counted(1, "story", "stories"), counted(2000, "story", "stories"), counted(0, "pair")
    ('1 story', '2,000 stories', '0 pairs')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
