from .cache import ResultCache as ResultCache
from .local import LocalEngine as LocalEngine
from .ray import RayEngine as RayEngine
from .work import Progress as Progress
from .work import Story as Story
from .worker import Task as Task
