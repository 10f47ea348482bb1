"""Document matching (paper, section 3.3): pairs of texts in, whether a relation holds between them out."""

from cdlm.tasks.matching.model import MatchModel, MatchSettings, PairBuilder
from cdlm.tasks.matching.pairs import BENCHMARKS, TextPair, benchmark_file, read_pairs
from cdlm.tasks.matching.prediction import Match, Matches, predict_pairs, write_matches
from cdlm.tasks.matching.scores import MatchScores, match_scores
from cdlm.tasks.matching.training import MATCH_PRESETS, MatchTraining, train_matcher

__all__ = [
    "BENCHMARKS",
    "MATCH_PRESETS",
    "Match",
    "MatchModel",
    "MatchScores",
    "MatchSettings",
    "MatchTraining",
    "Matches",
    "PairBuilder",
    "TextPair",
    "benchmark_file",
    "match_scores",
    "predict_pairs",
    "read_pairs",
    "train_matcher",
    "write_matches",
]
