"""Sparse pair scores in, clusters out: exact agglomerative clustering, with must-links and cannot-links.

As in the paper's section 3.2 and Appendix C.1; there without constraints.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
