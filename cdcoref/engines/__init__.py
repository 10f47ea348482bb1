"""Many stories: a collection and its stories in, linked stories out as they finish; what a run computed can be kept."""

from cdcoref.engines.cache import ResultCache
from cdcoref.engines.local import LocalEngine, Progress, Story

__all__ = ["LocalEngine", "Progress", "ResultCache", "Story"]
