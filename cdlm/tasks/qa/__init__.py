"""Multi-hop question answering (paper, section 3.4): questions with paragraphs in, answers and their evidence out."""

from cdlm.tasks.qa.decoding import choose_evidence, decode
from cdlm.tasks.qa.model import QALogits, QAModel, QASettings, collate
from cdlm.tasks.qa.prediction import Answers, predict_answers, read_predictions, shorten, write_predictions
from cdlm.tasks.qa.questions import Paragraph, Question, Questions, read_questions
from cdlm.tasks.qa.scores import METRICS, Prediction, qa_scores
from cdlm.tasks.qa.sequences import ANSWER_TYPES, QA_TOKENS, QASequence, QuestionBuilder, label_sequence
from cdlm.tasks.qa.training import QA_PRESETS, LabelledQuestions, QATraining, joint_loss, train_reader

__all__ = [
    "ANSWER_TYPES",
    "METRICS",
    "QA_PRESETS",
    "QA_TOKENS",
    "Answers",
    "LabelledQuestions",
    "Paragraph",
    "Prediction",
    "QALogits",
    "QAModel",
    "QASequence",
    "QASettings",
    "QATraining",
    "Question",
    "QuestionBuilder",
    "Questions",
    "choose_evidence",
    "collate",
    "decode",
    "joint_loss",
    "label_sequence",
    "predict_answers",
    "qa_scores",
    "read_predictions",
    "read_questions",
    "shorten",
    "train_reader",
    "write_predictions",
]
