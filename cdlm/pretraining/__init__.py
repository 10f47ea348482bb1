"""Pretraining on sets of related documents (paper, sections 2 and 3.1).

Corpora are recognised (`open_source`), tokenised once (`prepare`) and sampled as sequences whose masked tokens are
predicted (`pretrain`); models are compared by their perplexity on masked tokens of held-out sets (`perplexities`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
