"""Which happening an event mention means: when, where, with whom and how many, found in the text without a model.

A document and its mentions in, the circumstances of every event mention out, each with the tokens that state it and how
near they are: its own clause, its sentence, or the document, whose day and place are the default of its main event.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
