"""Tasks for which a pretrained encoder is fine-tuned, other than coreference (paper, sections 3.3 and 3.4).

Document matching: pairs of texts in (`read_pairs`), a model trained on them (`train_matcher`), and for every pair the
probability that the relation holds out (`predict_pairs`). Multi-hop question answering: questions with paragraphs in
(`read_questions`), a model trained on them (`train_reader`), and answers with their supporting sentences out
(`predict_answers`). Both start from any encoder of this project, are trained with :mod:`cdlm.runs`, and are saved as a
folder (`MatchModel`, `QAModel`).
"""

from cdlm.tasks.matching import (
    BENCHMARKS,
    MATCH_PRESETS,
    Match,
    MatchModel,
    MatchScores,
    MatchSettings,
    MatchTraining,
    TextPair,
    benchmark_file,
    match_scores,
    predict_pairs,
    read_pairs,
    train_matcher,
    write_matches,
)
from cdlm.tasks.qa import (
    METRICS,
    QA_PRESETS,
    Paragraph,
    Prediction,
    QAModel,
    QASettings,
    QATraining,
    Question,
    predict_answers,
    qa_scores,
    read_predictions,
    read_questions,
    shorten,
    train_reader,
    write_predictions,
)

__all__ = [
    "BENCHMARKS",
    "MATCH_PRESETS",
    "METRICS",
    "QA_PRESETS",
    "Match",
    "MatchModel",
    "MatchScores",
    "MatchSettings",
    "MatchTraining",
    "Paragraph",
    "Prediction",
    "QAModel",
    "QASettings",
    "QATraining",
    "Question",
    "TextPair",
    "benchmark_file",
    "match_scores",
    "predict_answers",
    "predict_pairs",
    "qa_scores",
    "read_pairs",
    "read_predictions",
    "read_questions",
    "shorten",
    "train_matcher",
    "train_reader",
    "write_matches",
    "write_predictions",
]
