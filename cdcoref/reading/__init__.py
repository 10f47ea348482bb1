"""Everything that is known of a document, computed once: documents and mentions in, facts and circumstances out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
