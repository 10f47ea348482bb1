"""Annotated corpora by name: a folder in, the documents and mentions of a split out, with a description."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
