"""Annotated corpora and a configuration in, a model's folder out: data, training loop, and tuning on dev."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
