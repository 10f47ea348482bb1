"""What words state without a model: a document and its mentions in, facts about each mention out.

Facts are a mention's head, lemma, names, numbers, amounts, dates and countries, and its place in the text. Two mentions
whose facts conflict cannot corefer; what two mentions' facts have in common are the features of the pair.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
