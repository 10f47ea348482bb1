"""Annotated corpora by name: a folder in, the documents and mentions of a split out, with a description of the corpus.

``CorpusFolder.parse("gum:DIR").read("dev")`` reads a split as an `AnnotatedCorpus`, whose `CorpusInfo` states which
kinds of mention are annotated, whether links cross documents, whether a mention detector can learn from it, and its
licence. Training and evaluation respect that. The corpora are listed in `registry`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
