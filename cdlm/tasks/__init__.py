"""Tasks for which an encoder is fine-tuned, other than coreference: document matching, and multi-hop question answering
(paper, sections 3.3 and 3.4)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
