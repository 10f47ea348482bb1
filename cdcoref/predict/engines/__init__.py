"""Many stories: a collection and its stories in, linked stories out as they finish; results can be cached."""

from cdcoref.predict.engines.cache import ResultCache
from cdcoref.predict.engines.local import LocalEngine
from cdcoref.predict.engines.ray import RayEngine
from cdcoref.predict.engines.work import Progress, Story
from cdcoref.predict.engines.worker import Task

__all__ = [
    "LocalEngine",
    "Progress",
    "RayEngine",
    "ResultCache",
    "Story",
    "Task",
]
