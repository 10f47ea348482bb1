"""Document matching (paper, section 3.3): pairs of texts in, whether a relation holds between them out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
