"""What words state without a model: a document and its mentions in, facts about each mention and features of pairs
out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
