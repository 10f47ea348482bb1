"""What readers get: clusters in; labels, ranking, search, timelines, disagreements out. Nothing here needs a model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
