"""Cross-document coreference resolution: which mentions, in different documents, are the same event or entity."""

import lazy_loader

import cdlm  # noqa: F401  it chooses how PyTorch's threads wait, which has to be done before PyTorch is imported

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
