"""One pair of the attention analysis as a picture (paper, section 3.5): scores in, coloured text or a PNG file out.

The colour of a word shows its percentile rank within its document, from white for the lowest to dark orange for the
highest. The source is blue; the target is framed (in the terminal, underlined).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cdlm.errors import InputError
from cdlm.extras import optional_module
from cdlm.files import replaced_file

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont
    from rich.text import Text

    from cdlm.alignment import PairAttention

Colour = tuple[int, int, int]
COLD: Colour = (255, 255, 255)
HOT: Colour = (217, 95, 2)
SOURCE: Colour = (158, 202, 225)
TARGET: Colour = (0, 90, 50)
WIDTH, MARGIN, SIZE, LINE = 1000, 24, 16, 26
"""Dimensions of a PNG in pixels: image width, margin, font size and line height."""


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


def write_png(attention: PairAttention, path: Path) -> None:
    """Draw the two documents.

    Raises `InputError` if Pillow is not installed, or the file cannot be written.
    """
    optional_module("PIL", "a PNG", "Pillow", extra="images")
    from PIL import Image, ImageDraw
    from PIL.ImageFont import load_default

    font = load_default(SIZE)
    lines = list(_lines(attention, font))
    image = Image.new("RGB", (WIDTH, 2 * MARGIN + LINE * len(lines)), COLD)
    draw = ImageDraw.Draw(image)
    frames = []  # drawn last, over the neighbours' backgrounds
    for number, line in enumerate(lines):
        left, top = float(MARGIN), MARGIN + LINE * number
        for word, colour, is_target in line:
            right = left + font.getlength(word)
            box = (left - 2, top, right + 2, top + LINE - 4)
            draw.rectangle(box, fill=colour)
            frames += [box] if is_target else []
            draw.text((left, top + 2), word, fill=(0, 0, 0), font=font)
            left = right + font.getlength(" ")
    for box in frames:
        draw.rectangle(box, outline=TARGET, width=2)
    try:
        with replaced_file(path) as part:
            image.save(part, format="PNG")
    except OSError as error:
        raise InputError(f"the picture cannot be written ({error.strerror})", path) from error


def _lines(attention: PairAttention, font: FreeTypeFont | ImageFont) -> Iterator[list[tuple[str, Colour, bool]]]:
    """The content of each line of a picture."""
    for number, words in enumerate(_coloured(attention)):
        yield [(_title(attention, number), COLD, False)]
        line: list[tuple[str, Colour, bool]] = []
        length = 0.0
        for word in words:
            width = font.getlength(word[0] + " ")
            if line and length + width > WIDTH - 2 * MARGIN:
                yield line
                line, length = [], 0.0
            line.append(word)
            length += width
        yield line
        yield []
    yield [(caption(attention), COLD, False)]


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
            (word, SOURCE if is_source and place in chosen else _heat(ranks[place]), not is_source and place in chosen)
            for place, word in enumerate(document.words)
        ]


def _heat(rank: float) -> Colour:
    """The colour of a rank; only the upper half is coloured, so that it stands out."""
    share = max(0.0, rank - 50) / 50
    red, green, blue = (round(cold + (hot - cold) * share**2) for cold, hot in zip(COLD, HOT, strict=True))
    return red, green, blue
