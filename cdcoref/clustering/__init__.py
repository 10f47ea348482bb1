"""Sparse pair scores in, clusters out: agglomerative clustering (paper section 3.2), with must-links and
cannot-links."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
