"""Multi-hop question answering (paper, section 3.4): questions with paragraphs in, answers and their evidence out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
