"""Multi-hop question answering (paper, section 3.4): questions with paragraphs in, answers and their evidence out."""

from cdlm.tasks.qa.model import QAModel, QASettings
from cdlm.tasks.qa.prediction import Answers, predict_answers, read_predictions, shorten, write_predictions
from cdlm.tasks.qa.questions import Paragraph, Question, Questions, read_questions
from cdlm.tasks.qa.scores import METRICS, Prediction, qa_scores
from cdlm.tasks.qa.training import QA_PRESETS, QATraining, train_reader

__all__ = [
    "METRICS",
    "QA_PRESETS",
    "Answers",
    "Paragraph",
    "Prediction",
    "QAModel",
    "QASettings",
    "QATraining",
    "Question",
    "Questions",
    "predict_answers",
    "qa_scores",
    "read_predictions",
    "read_questions",
    "shorten",
    "train_reader",
    "write_predictions",
]
