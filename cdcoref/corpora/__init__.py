"""Annotated corpora by name: a folder as it is distributed in, the :class:`cdcoref.corpus.Corpus` of a split out."""

from cdcoref.corpora.ecb import SPLITS, available_splits, read_ecb
from cdcoref.corpora.statistics import corpus_statistics

__all__ = ["SPLITS", "available_splits", "corpus_statistics", "read_ecb"]
