"""Which texts are not in English, the only language that the models know: documents in, a sentence about them out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from cdcoref.corpus import Document
from cdcoref.word_tables import words_in
from cdlm.printing import counted

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

MIN_BYTES = 60
"""In shorter texts, of fewer than some 12 words, too few letters are seen: their words are looked up as well."""
MAX_ENGLISH_WORDS = 2 / 3
"""Shorter texts are in another language only if no more than this share of their lower-case words is English.

Of the 1,364 single sentences of 8 to 59 bytes in the same dev sets none is taken to be in another language; of their
longer sentences, cut into 20,746 pieces of that length, 13, all pieces of web addresses. Of spaCy's 162 examples of
that length in other languages of the Latin alphabet 152 are.
"""
LATIN = 0.5
"""Texts of any length with fewer letters of the Latin alphabet than this share are in another language."""
MAX_CHARACTERS = 5000
"""Of longer texts the beginning is judged."""
MIN_PROBABILITY = 0.01
"""Texts for which English is less probable than this are taken to be in another language.

None of the 4,529 single sentences of `MIN_BYTES` or more in the dev sets of ECB+, GUM, LitBank, MEANTIME and GVC is,
lists of names among them; of 306 sentences in other languages, spaCy's examples, 305 are.
"""
MIN_WORDS = 50
MIN_FUNCTION_WORDS = 0.12
"""A text of at least `MIN_WORDS` words is English if at least this share of them are function words that only English
has. Other texts are judged by their letters, with a model that takes as long to load as ten texts to read. SpaCy's
examples in no other language reach 0.04; 462 of 514 texts of ECB+, GVC, MEANTIME, LitBank and Reuters reach 0.12."""
_ENGLISH = words_in("function_words.tsv", "English")
NAMED = 5
"""The most documents that a message names; the others are counted."""


def remarks_on_language(documents: Iterable[Document]) -> tuple[str, ...]:
    """A sentence that names the documents that are not in English; none if all are."""
    others = [document.id for document in documents if not _seems_english(document.text)]
    if not others:
        return ()
    names = ", ".join(others[:NAMED]) + (f" and {len(others) - NAMED} more" if len(others) > NAMED else "")
    verb = "seems" if len(others) == 1 else "seem"
    subject = f"{counted(len(others), 'document')} {verb} to be in another language"
    return (f"the model knows English only, and {subject}: {names}",)


def _seems_english(text: str) -> bool:
    start = text[:MAX_CHARACTERS]
    letters = [character for character in start if character.isalpha()]
    latin = [letter for letter in letters if letter.isascii() or unicodedata.name(letter, "").startswith("LATIN")]
    if len(latin) < LATIN * len(letters):
        return False
    words = re.findall(r"[^\W\d_]+", start.lower())
    if len(words) >= MIN_WORDS and sum(word in _ENGLISH for word in words) >= MIN_FUNCTION_WORDS * len(words):
        return True
    if len(start.encode(errors="replace")) < MIN_BYTES:
        from simplemma import is_known

        words = re.findall(r"(?<!\S)[^\w\s]*([^\W\d_]+)[^\w\s]*(?!\S)", start)
        known = [is_known(word, lang="en") for word in words if word.islower()]  # capitalised ones may be names
        if not known or sum(known) > MAX_ENGLISH_WORDS * len(known):
            return True
    return dict(_identifier().rank(start))["en"] >= MIN_PROBABILITY


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
