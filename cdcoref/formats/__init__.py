"""Files in, a Corpus out, and back: plain text, JSON lines and CoNLL, told apart by content; a bad file stops no other.

Each format has a module of its own; `read_corpus` reads whatever the user names: files, folders, standard input.
"""

from cdcoref.formats.conll import Layout, read_conll, write_conll
from cdcoref.formats.conll_parsing import read_conll_table
from cdcoref.formats.corefud import read_corefud, read_corefud_table
from cdcoref.formats.files import LoadedCorpus, file_format, fill_gaps, read_corpus, write_corpus
from cdcoref.formats.jsonl import read_jsonl, write_jsonl
from cdcoref.formats.jsonl_table import read_jsonl_table
from cdcoref.formats.line_chunks import first_bytes, line_chunks
from cdcoref.formats.mention_table import DocumentKey, Ints, MentionTable
from cdcoref.formats.output_file import output_file
from cdcoref.formats.text import tokenise_text

__all__ = [
    "DocumentKey",
    "Ints",
    "Layout",
    "LoadedCorpus",
    "MentionTable",
    "file_format",
    "fill_gaps",
    "first_bytes",
    "line_chunks",
    "output_file",
    "read_conll",
    "read_conll_table",
    "read_corefud",
    "read_corefud_table",
    "read_corpus",
    "read_jsonl",
    "read_jsonl_table",
    "tokenise_text",
    "write_conll",
    "write_corpus",
    "write_jsonl",
]
