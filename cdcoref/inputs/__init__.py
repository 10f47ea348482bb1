"""What the encoder reads: documents and their mentions in, tokenised sequences with their spans and pairs out.

A window is the part of a document that one sequence contains; a sequence contains windows of one or two documents with
their mentions marked, or of one unmarked document.
"""

from cdcoref.inputs.mention_contexts import DocumentContexts, MentionContext
from cdcoref.inputs.packs import Candidates, Pack, pack_length, packs
from cdcoref.inputs.pair_sequences import Integers, Marked, PairSequence, SequenceBuilder
from cdcoref.inputs.reading import ReadingBuilder, ReadingSequence
from cdcoref.inputs.sequence_options import SMALLEST_LENGTH, ContextOptions, Length, SequenceOptions
from cdcoref.inputs.spelling import OF_CAPITALS, SPELLING
from cdcoref.inputs.windows import Extent, MarkedDocument

__all__ = [
    "OF_CAPITALS",
    "SMALLEST_LENGTH",
    "SPELLING",
    "Candidates",
    "ContextOptions",
    "DocumentContexts",
    "Extent",
    "Integers",
    "Length",
    "Marked",
    "MarkedDocument",
    "MentionContext",
    "Pack",
    "PairSequence",
    "ReadingBuilder",
    "ReadingSequence",
    "SequenceBuilder",
    "SequenceOptions",
    "pack_length",
    "packs",
]
