"""One pair of the attention analysis as a picture (paper, section 3.5): coloured text, or an SVG file.

The colour of a word is its percentile rank within its document: dark orange for the highest. The source is blue; the
target is underlined.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdlm.errors import InputError
from cdlm.files import replaced_file

if TYPE_CHECKING:
    from rich.text import Text

    from cdlm.alignment import PairAttention

Colour = tuple[int, int, int]
COLD: Colour = (255, 255, 255)
HOT: Colour = (217, 95, 2)
SOURCE: Colour = (158, 202, 225)
WIDTH = 100
"""Characters in a line of an SVG."""


def word_ranks(attention: PairAttention, document: int) -> np.ndarray:
    """Percentile rank of the mean score of each word among the words of its document. *Shape:* (words,)"""
    scores = np.array([attention.scores[start:end].mean() for start, end in attention.tokens.words[document]])
    below = (scores[None, :] < scores[:, None]).mean(1)
    return 100 * (below + (scores[None, :] == scores[:, None]).mean(1) / 2)


def heat_text(attention: PairAttention) -> Text:
    """The two documents for a terminal."""
    from rich.text import Text

    text = Text()
    for number, words in enumerate(_coloured(attention)):
        text.append(f"{_title(attention, number)}\n", style="bold")
        for word, colour, is_target in words:
            text.append(word, style=f"{'underline ' if is_target else ''}black on rgb({','.join(map(str, colour))})")
            text.append(" ")
        text.append("\n\n")
    text.append(caption(attention))
    return text


def caption(attention: PairAttention) -> str:
    """One sentence: source, target, and the rank of the target."""
    pair = attention.pair
    names = []
    for document, mention in zip(pair.documents, pair.mentions, strict=True):
        names.append(" ".join(document.words[word] for word in mention.words))
    source, target = names[pair.source], names[1 - pair.source]
    return f"source {source!r}, target {target!r}: percentile rank {attention.rank:.1f}"


def write_svg(attention: PairAttention, path: Path) -> None:
    """Draw the two documents as they are shown in a terminal."""
    from rich.console import Console

    console = Console(file=io.StringIO(), record=True, width=WIDTH, force_terminal=True, color_system="truecolor")
    console.print(heat_text(attention), highlight=False)
    try:
        with replaced_file(path) as part:
            part.write_text(console.export_svg(title="attention"), encoding="utf-8")
    except OSError as error:
        raise InputError(f"the picture cannot be written ({error.strerror})", path) from error


def _title(attention: PairAttention, number: int) -> str:
    role = "source" if number == attention.pair.source else "target"
    return f"{attention.pair.documents[number].id} ({role})"


def _coloured(attention: PairAttention) -> Iterator[list[tuple[str, Colour, bool]]]:
    """For each document, its words with their colours and whether they belong to the target."""
    pair = attention.pair
    for number, (document, mention) in enumerate(zip(pair.documents, pair.mentions, strict=True)):
        ranks = word_ranks(attention, number)
        chosen = set(mention.words)
        is_source = number == pair.source
        yield [
            (word, SOURCE if is_source and index in chosen else _heat(ranks[index]), not is_source and index in chosen)
            for index, word in enumerate(document.words)
        ]


def _heat(rank: float) -> Colour:
    """The colour of a rank; only the upper half is coloured, so that it stands out."""
    share = max(0.0, rank - 50) / 50
    red, green, blue = (round(cold + (hot - cold) * share**2) for cold, hot in zip(COLD, HOT, strict=True))
    return red, green, blue
