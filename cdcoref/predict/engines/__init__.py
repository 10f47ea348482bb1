"""Many stories: a collection and its stories in, linked stories out as they finish; results can be cached."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
