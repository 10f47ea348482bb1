"""A prediction or a corpus in, a file of any kind out: for other programs, for spreadsheets, or a page to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.formats import output_suffixes, write_corpus
from cdcoref.predict import Prediction, corpus_and_stories
from cdcoref.views.mention_tables import write_csv, write_parquet
from cdcoref.views.page import write_page

WRITERS: Mapping[str, Callable[[Prediction | Corpus, Path], None]] = {
    ".html": write_page,
    ".csv": write_csv,
    ".csv.gz": write_csv,
    ".parquet": write_parquet,
}
"""The writers of files for people or other programs, by the file's suffix."""


def result_suffixes() -> list[str]:
    """The suffixes of all files that :func:`write_result` writes, without ``.gz``."""
    return sorted({*output_suffixes(), *(suffix.removesuffix(".gz") for suffix in WRITERS)})


def write_result(source: Prediction | Corpus, output: Path, layout: str | None = None) -> tuple[str, ...]:
    """Write documents, mentions and clusters in the format that the file's name ends in.

    Parameters
    ----------
    source
        What to write.
    output
        The file.
    layout
        As in :func:`cdcoref.formats.write_corpus`.

    Returns
    -------
    tuple
        A sentence for each kind of information that the format cannot express.

    Raises
    ------
    InputError
        If the file cannot be written, or not in this format. An existing file is then left unchanged.
    """
    suffix = next((suffix for suffix in WRITERS if output.name.lower().endswith(suffix)), None)
    if suffix is None:
        return write_corpus(corpus_and_stories(source)[0], output, layout=layout)
    WRITERS[suffix](source, output)
    return ()
