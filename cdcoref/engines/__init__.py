"""Many stories: a collection and its stories in, linked stories out as they finish; results can be cached."""

from cdcoref.engines.cache import ResultCache
from cdcoref.engines.estimate import pieces_per_second, pieces_to_read
from cdcoref.engines.local import LocalEngine
from cdcoref.engines.ray import RayEngine
from cdcoref.engines.work import Progress, Story
from cdcoref.engines.worker import Task

__all__ = [
    "LocalEngine",
    "Progress",
    "RayEngine",
    "ResultCache",
    "Story",
    "Task",
    "pieces_per_second",
    "pieces_to_read",
]
