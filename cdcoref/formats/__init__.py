"""Files in, a Corpus out, and back; a file's format is recognised by its content.

Texts are read from plain text, HTML, PDF, Word, Markdown and tables; texts with mentions are read from and written to
JSON lines, CoNLL, CorefUD and DocBin, and read from collections.

`read_corpus` reads files, folders and standard input into one corpus; a bad file does not affect the others.
`write_corpus` writes a corpus in the format given by the file name; `Format.writer` writes it document by document.
`read_mention_table` reads only mentions, for scoring. Any file may be gzipped. Each format is a module that defines a
`Format`; `FORMATS` lists them.
"""

from cdcoref.formats.brat_folder import write_brat
from cdcoref.formats.collection_file import (
    APPLICATION_ID,
    COLLECTION_SUFFIX,
    COLLECTION_VERSION,
    OLDEST_COLLECTION,
    check_collection,
    cluster_id,
    collection_errors,
    connect_to_collection,
    corpus_in,
    has_room_beside,
    is_collection,
    read_collection,
    readable_part,
    stored_document,
    stored_fields,
    stored_mention,
)
from cdcoref.formats.conll import Layout, described_ids, read_conll, write_conll
from cdcoref.formats.corefud import read_corefud, write_corefud
from cdcoref.formats.corpus_reader import LoadedCorpus, read_corpus
from cdcoref.formats.docbin import annotate, checked_docs, corpus_of, docs_of, named_entities, read_docbin, write_docbin
from cdcoref.formats.document_names import DocumentKey
from cdcoref.formats.encodings import USUAL_ENCODINGS, EncodingError, Utf16Units, check_encoding
from cdcoref.formats.folders import check_folder, file_names, written_folder
from cdcoref.formats.format import Format, ReadOptions, Writer
from cdcoref.formats.format_registry import (
    FORMATS,
    format_of,
    has_input_suffix,
    is_own_result,
    output_format,
    output_suffixes,
    read_file,
    read_mention_table,
    write_corpus,
)
from cdcoref.formats.found_metadata import plain_value, with_stated
from cdcoref.formats.given_names import names_entry
from cdcoref.formats.input_file import readable_twice
from cdcoref.formats.json_schemas import SCHEMAS, json_schema
from cdcoref.formats.jsonl import document_fields, jsonl_writer, read_jsonl, write_jsonl
from cdcoref.formats.lines import first_bytes, line_chunks, whole_file
from cdcoref.formats.markdown import OWN_REPORT
from cdcoref.formats.mention_table import DocumentRow, EmptyNode, IdScope, Ints, MentionTable, table_of_corpus
from cdcoref.formats.output_file import output_file
from cdcoref.formats.packed import bounded_zlib
from cdcoref.formats.plain_text import read_text, text_content, tokenise_text
from cdcoref.formats.selection import checked_day, day_of, select_documents
from cdcoref.formats.uima import write_xmi
from cdcoref.formats.webanno import write_webanno

__all__ = [
    "APPLICATION_ID",
    "COLLECTION_SUFFIX",
    "COLLECTION_VERSION",
    "FORMATS",
    "OLDEST_COLLECTION",
    "OWN_REPORT",
    "SCHEMAS",
    "USUAL_ENCODINGS",
    "DocumentKey",
    "DocumentRow",
    "EmptyNode",
    "EncodingError",
    "Format",
    "IdScope",
    "Ints",
    "Layout",
    "LoadedCorpus",
    "MentionTable",
    "ReadOptions",
    "Utf16Units",
    "Writer",
    "annotate",
    "bounded_zlib",
    "check_collection",
    "check_encoding",
    "check_folder",
    "checked_day",
    "checked_docs",
    "cluster_id",
    "collection_errors",
    "connect_to_collection",
    "corpus_in",
    "corpus_of",
    "day_of",
    "described_ids",
    "docs_of",
    "document_fields",
    "file_names",
    "first_bytes",
    "format_of",
    "has_input_suffix",
    "has_room_beside",
    "is_collection",
    "is_own_result",
    "json_schema",
    "jsonl_writer",
    "line_chunks",
    "named_entities",
    "names_entry",
    "output_file",
    "output_format",
    "output_suffixes",
    "plain_value",
    "read_collection",
    "read_conll",
    "read_corefud",
    "read_corpus",
    "read_docbin",
    "read_file",
    "read_jsonl",
    "read_mention_table",
    "read_text",
    "readable_part",
    "readable_twice",
    "select_documents",
    "stored_document",
    "stored_fields",
    "stored_mention",
    "table_of_corpus",
    "text_content",
    "tokenise_text",
    "whole_file",
    "with_stated",
    "write_brat",
    "write_conll",
    "write_corefud",
    "write_corpus",
    "write_docbin",
    "write_jsonl",
    "write_webanno",
    "write_xmi",
    "written_folder",
]
