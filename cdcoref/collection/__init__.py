"""A collection that grows: documents in, day by day; clusters with lasting ids, searched and corrected, out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
