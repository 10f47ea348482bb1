"""A collection that grows: documents in, day by day; clusters with lasting ids, searched and corrected, out.

`Collection` is one SQLite file with documents, mentions, vectors, scores of compared pairs, stories, clusters and
corrections. Adding documents costs what is new; what people corrected is obeyed for good; `rebuild` gives what
`cdcoref.predict.predictor` gives for all documents at once.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
