"""What the encoder reads: documents and their mentions in, tokenised sequences with their spans and pairs out.

A window is the part of a document that one sequence contains; a sequence contains windows of one or two documents with
their mentions marked, or of one unmarked document.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
