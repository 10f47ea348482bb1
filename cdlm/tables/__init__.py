"""The tables of the paper with values measured here beside the published ones, and the commands that measure them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
