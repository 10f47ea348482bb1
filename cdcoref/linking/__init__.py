"""One story's documents in, its clusters out: mentions are detected, compared in pairs, and clustered.

A model reads documents to detect mentions, and pairs of documents to score mention pairs; the lemma baseline, which
links mentions with the same head lemma, needs no model. The options can be stated without PyTorch: what needs it is
imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
