from .filling import CorpusFolders as CorpusFolders
from .filling import FilledTable as FilledTable
from .filling import filled_tables as filled_tables
from .markdown import markdown as markdown
from .published import TABLES as TABLES
