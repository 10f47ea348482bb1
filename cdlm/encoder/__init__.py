"""The encoder: token ids and a mask of globally attending tokens in, one vector per token out (a fast Longformer).

What it computes with can be called by itself: sparse attention over a flat batch (:class:`TokenLayout`), with a bias by
distance or without, in tiles for a CPU (:func:`sparse_attention`) or stacked for a GPU (:func:`fused_attention`);
products and dropout.
"""

import lazy_loader

import cdlm.forking  # noqa: F401  whoever has an encoder may fork

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
