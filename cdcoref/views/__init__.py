"""What people view: results in, tables and pages out. Nothing here computes a result."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
