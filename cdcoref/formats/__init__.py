"""Files in, a Corpus out, and back; a file's format is recognised by its content."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
