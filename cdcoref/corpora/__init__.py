"""Annotated corpora by name: a folder in, the documents and mentions of a split out, with a description of the corpus.

``CorpusFolder.parse("gum:DIR").read("dev")`` reads a split as an `AnnotatedCorpus`, whose `CorpusInfo` states which
kinds of mention are annotated, whether links cross documents, whether a mention detector can learn from it, and its
licence. Training and evaluation respect that. The corpora are listed in `registry`.
"""

from cdcoref.corpora.annotated import AnnotatedCorpus, Corpora, CorpusInfo, annotated_corpora, joined, licences
from cdcoref.corpora.corpus_registry import CORPORA, CorpusFolder, corpus_folders
from cdcoref.corpora.ecb import TOPICS, missing_topics, read_ecb
from cdcoref.corpora.marked_text import MarkedText
from cdcoref.corpora.plain_documents import documents_of, plain_documents
from cdcoref.corpora.splits import SPLITS
from cdcoref.corpora.statistics import UNKNOWN, CorpusStatistics, corpus_statistics

__all__ = [
    "CORPORA",
    "SPLITS",
    "TOPICS",
    "UNKNOWN",
    "AnnotatedCorpus",
    "Corpora",
    "CorpusFolder",
    "CorpusInfo",
    "CorpusStatistics",
    "MarkedText",
    "annotated_corpora",
    "corpus_folders",
    "corpus_statistics",
    "documents_of",
    "joined",
    "licences",
    "missing_topics",
    "plain_documents",
    "read_ecb",
]
