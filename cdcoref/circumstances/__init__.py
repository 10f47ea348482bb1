"""When, where and with whom, of every event mention, and what documents count: found in the text without a model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
