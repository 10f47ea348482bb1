"""Prediction: documents in, mentions and their clusters across documents out, ranked and labelled.

`load` reads a model as a `Predictor`, which groups documents into stories and has an engine link them: on this machine,
one story after the other, or on a Ray cluster. Results that views and files need can be used without PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdcoref.predict.cluster_circumstances import (
    LABEL_SEPARATOR,
    ClusterCircumstances,
    ClusterParticipant,
    ClusterPeriod,
    ClusterPlace,
    CorpusCircumstances,
    Stated,
)
from cdcoref.predict.disagreements import Disagreement, Statement
from cdcoref.predict.given_texts import GivenText, corpus_of_texts
from cdcoref.predict.labels import cluster_label, label_of_kind
from cdcoref.predict.predicted_story import PredictedStory, StoryEvent, stories_of
from cdcoref.predict.prediction_options import PredictionOptions, Topics
from cdcoref.predict.ranking import is_date_or_number, mean_confidence, ranked_clusters
from cdcoref.predict.results import (
    Counts,
    MentionRow,
    Places,
    Plan,
    PredictedCluster,
    PredictedMention,
    Prediction,
    ScoredPair,
    Tally,
    corpus_and_stories,
    dataframe,
    mention_rows,
    metadata_text,
    require_pandas,
)
from cdcoref.predict.search_points import search_points, search_words, searched, searched_title
from cdcoref.predict.story_graph import GraphLine, GraphNode, StoryGraph, sentences_together
from cdlm.lazy_imports import on_first_use

if TYPE_CHECKING:
    from cdcoref.predict.engines.cache import ResultCache
    from cdcoref.predict.engines.local import LocalEngine
    from cdcoref.predict.engines.ray import RayEngine
    from cdcoref.predict.engines.work import Progress, Story
    from cdcoref.predict.engines.worker import Task
    from cdcoref.predict.predictor import (
        LARGER_THAN_STORIES,
        LEMMA,
        Predictor,
        check_device,
        joined_stories,
        load,
        plan_stories,
    )

__all__ = [
    "LABEL_SEPARATOR",
    "LARGER_THAN_STORIES",
    "LEMMA",
    "ClusterCircumstances",
    "ClusterParticipant",
    "ClusterPeriod",
    "ClusterPlace",
    "CorpusCircumstances",
    "Counts",
    "Disagreement",
    "GivenText",
    "GraphLine",
    "GraphNode",
    "LocalEngine",
    "MentionRow",
    "Places",
    "Plan",
    "PredictedCluster",
    "PredictedMention",
    "PredictedStory",
    "Prediction",
    "PredictionOptions",
    "Predictor",
    "Progress",
    "RayEngine",
    "ResultCache",
    "ScoredPair",
    "Stated",
    "Statement",
    "Story",
    "StoryEvent",
    "StoryGraph",
    "Tally",
    "Task",
    "Topics",
    "check_device",
    "cluster_label",
    "corpus_and_stories",
    "corpus_of_texts",
    "dataframe",
    "is_date_or_number",
    "joined_stories",
    "label_of_kind",
    "load",
    "mean_confidence",
    "mention_rows",
    "metadata_text",
    "plan_stories",
    "ranked_clusters",
    "require_pandas",
    "search_points",
    "search_words",
    "searched",
    "searched_title",
    "sentences_together",
    "stories_of",
]

__getattr__ = on_first_use(
    __name__,
    {
        "engines.cache": "ResultCache",
        "engines.local": "LocalEngine",
        "engines.ray": "RayEngine",
        "engines.work": "Progress Story",
        "engines.worker": "Task",
        "predictor": "LARGER_THAN_STORIES LEMMA Predictor check_device joined_stories load plan_stories",
    },
)
