"""The encoder: a fast Longformer that computes what Hugging Face's does (paper, section 2).

Its parts can be called by themselves: attention over a flat batch (:class:`TokenLayout`), with a bias by distance or
without, in tiles for a CPU (:func:`sparse_attention`) or stacked for a GPU (:func:`fused_attention`).
"""

import lazy_loader

import cdlm.forking  # noqa: F401  whoever has an encoder may fork

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
