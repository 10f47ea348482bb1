"""Pretraining on sets of related documents, and perplexity on their masked tokens (paper, sections 2 and 3.1)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
