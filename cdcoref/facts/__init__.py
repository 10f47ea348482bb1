"""What the words of a document state, read from its parse: times, places, people, amounts, and of which event."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
