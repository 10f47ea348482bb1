from .counting import CorpusFolders as CorpusFolders
from .filling import filled_tables as filled_tables
from .layout import FilledTable as FilledTable
from .markdown import as_values as as_values
from .markdown import markdown as markdown
from .published import TABLES as TABLES
