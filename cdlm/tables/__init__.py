"""The tables of the paper with own values beside the published ones.

Numbers of tables, a folder of results and folders of corpora go in; filled tables come out, with the commands that
would measure what is missing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
