"""A collection as a site: a `.cdcoref` file in, pages and a JSON API over it out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
