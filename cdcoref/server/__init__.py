"""A collection as a site: a `.cdcoref` file in, pages and a JSON API over it out.

`serve` runs until it is interrupted; `Server` runs in a thread, for programs. People search, read, correct and add
documents; corrections and additions are stored one after the other, while any number of readers look on. Needs the
extra `serve`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
