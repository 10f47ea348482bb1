"""What people view: results in, tables and pages out. Nothing here computes a result.

A prediction, or a corpus with clusters, becomes lines for a terminal, one HTML page, or a table for other programs;
scores and errors become tables.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.results import Prediction
from cdcoref.views.cluster_table import cluster_lines, first_lines, summary
from cdcoref.views.collection_tables import (
    cluster_list_lines,
    cluster_page_lines,
    correction_lines,
    counts_line,
    document_list_lines,
    document_page_lines,
    mention_lines,
    question_lines,
    report_lines,
)
from cdcoref.views.evaluation_tables import evaluation_text
from cdcoref.views.mention_tables import check_parquet, write_csv, write_parquet
from cdcoref.views.page import write_page
from cdcoref.views.score_tables import error_text
from cdcoref.views.statistics_tables import statistics_text

__all__ = [
    "WRITERS",
    "check_parquet",
    "cluster_lines",
    "cluster_list_lines",
    "cluster_page_lines",
    "correction_lines",
    "counts_line",
    "document_list_lines",
    "document_page_lines",
    "error_text",
    "evaluation_text",
    "first_lines",
    "mention_lines",
    "question_lines",
    "report_lines",
    "statistics_text",
    "summary",
    "write_csv",
    "write_page",
    "write_parquet",
]

WRITERS: Mapping[str, Callable[[Prediction | Corpus, Path], None]] = {
    ".html": write_page,
    ".csv": write_csv,
    ".csv.gz": write_csv,
    ".parquet": write_parquet,
}
"""The writers of files for people or other programs, by the file's suffix."""
