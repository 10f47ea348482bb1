"""What the encoder reads: documents and their mentions in, tokenised sequences with their spans out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
