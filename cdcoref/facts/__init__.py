"""Expressions of time with their values, and the dependency parse of a document."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
