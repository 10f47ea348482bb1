"""What people view: results in, tables and pages out. Nothing here computes a result.

A prediction, or a corpus with clusters, becomes lines for a terminal, one HTML page, or a table for other programs;
scores and errors become tables.
"""

from cdcoref.views.cluster_table import cluster_lines, first_lines, summary
from cdcoref.views.collection_tables import (
    cluster_list_lines,
    cluster_page_lines,
    correction_lines,
    counts_line,
    document_list_lines,
    document_page_lines,
    outcome_lines,
    question_lines,
    report_lines,
    work_lines,
)
from cdcoref.views.evaluation_tables import evaluation_text
from cdcoref.views.graph_drawing import graph_drawing
from cdcoref.views.graphml import graph_of, write_graphml
from cdcoref.views.json_object import event_circumstances, json_text, write_json_lines
from cdcoref.views.jsonld import linked_data, write_jsonld
from cdcoref.views.mention_tables import check_parquet, write_csv, write_parquet
from cdcoref.views.notebook import notebook_view
from cdcoref.views.output import (
    WRITERS,
    FolderFormat,
    check_folder_options,
    check_plain,
    check_result_name,
    is_folder_output,
    result_suffixes,
    write_result,
)
from cdcoref.views.page import page_html, shared_style, write_page
from cdcoref.views.pair_table import write_pairs
from cdcoref.views.report import story_report, write_report
from cdcoref.views.resolved_text import Replaced, resolved_texts, write_resolved
from cdcoref.views.score_tables import error_text
from cdcoref.views.statistics_tables import statistics_text
from cdcoref.views.story_lines import story_lines, story_list_lines
from cdcoref.views.text_runs import marked_text

__all__ = [
    "WRITERS",
    "FolderFormat",
    "Replaced",
    "check_folder_options",
    "check_parquet",
    "check_plain",
    "check_result_name",
    "cluster_lines",
    "cluster_list_lines",
    "cluster_page_lines",
    "correction_lines",
    "counts_line",
    "document_list_lines",
    "document_page_lines",
    "error_text",
    "evaluation_text",
    "event_circumstances",
    "first_lines",
    "graph_drawing",
    "graph_of",
    "is_folder_output",
    "json_text",
    "linked_data",
    "marked_text",
    "notebook_view",
    "outcome_lines",
    "page_html",
    "question_lines",
    "report_lines",
    "resolved_texts",
    "result_suffixes",
    "shared_style",
    "statistics_text",
    "story_lines",
    "story_list_lines",
    "story_report",
    "summary",
    "work_lines",
    "write_csv",
    "write_graphml",
    "write_json_lines",
    "write_jsonld",
    "write_page",
    "write_pairs",
    "write_parquet",
    "write_report",
    "write_resolved",
    "write_result",
]
