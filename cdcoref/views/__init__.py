"""What people view: results in, tables and pages out. Nothing here computes a result.

A prediction, or a corpus with clusters, becomes lines for a terminal, one HTML page, or a table for other programs;
scores and errors become tables.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
