"""Which documents are about the same story: documents, or their `DocumentVectors`, in, groups of their ids out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
