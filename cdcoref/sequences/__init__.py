"""What the encoder reads: documents and their mentions in, tokenised sequences with their spans and pairs out.

A window is the part of a document that one sequence contains; a sequence contains windows of one or two documents with
their mentions marked, or of one unmarked document.
"""

from cdcoref.sequences.options import SMALLEST_LENGTH, Context, Length, SequenceOptions
from cdcoref.sequences.packs import Candidates, Pack, pack_length, packs
from cdcoref.sequences.pair_features import FEATURES, check_features, conflicts, pair_features
from cdcoref.sequences.pair_sequences import Integers, Marked, PairSequence, SequenceBuilder
from cdcoref.sequences.quotations import quotations
from cdcoref.sequences.reading import ReadingBuilder, ReadingSequence
from cdcoref.sequences.spelling import OF_CAPITALS, SPELLING
from cdcoref.sequences.trait_tables import TraitTables, WordSets
from cdcoref.sequences.traits import LastWord, Traits, last_word, mention_words, traits
from cdcoref.sequences.windows import Extent, MarkedDocument

__all__ = [
    "FEATURES",
    "OF_CAPITALS",
    "SMALLEST_LENGTH",
    "SPELLING",
    "Candidates",
    "Context",
    "Extent",
    "Integers",
    "LastWord",
    "Length",
    "Marked",
    "MarkedDocument",
    "Pack",
    "PairSequence",
    "ReadingBuilder",
    "ReadingSequence",
    "SequenceBuilder",
    "SequenceOptions",
    "TraitTables",
    "Traits",
    "WordSets",
    "check_features",
    "conflicts",
    "last_word",
    "mention_words",
    "pack_length",
    "packs",
    "pair_features",
    "quotations",
    "traits",
]
