"""Which documents are about the same story: documents in, groups of their ids out; how similar two documents are.

`DocumentVectors` holds what is computed once per collection; every function accepts it in place of the documents.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
