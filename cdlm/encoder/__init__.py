"""The encoder: a fast Longformer that computes what Hugging Face's does (paper, section 2)."""

import lazy_loader

import cdlm.forking  # noqa: F401  whoever has an encoder may fork

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
