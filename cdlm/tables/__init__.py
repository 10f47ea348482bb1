"""The tables of the paper with own values beside the published ones.

Numbers of tables, a folder of results and folders of corpora go in; filled tables come out, with the commands that
would measure what is missing.
"""

from cdlm.tables.counting import CorpusFolders
from cdlm.tables.filling import filled_tables
from cdlm.tables.layout import FilledTable
from cdlm.tables.markdown import as_values, markdown
from cdlm.tables.published import TABLES

__all__ = ["TABLES", "CorpusFolders", "FilledTable", "as_values", "filled_tables", "markdown"]
