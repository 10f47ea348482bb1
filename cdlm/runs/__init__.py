"""One training run, whatever is trained: checkpoints from which a run that was killed at any moment ends with the same
weights bit for bit, the best model, and progress. Under ``accelerate launch`` several processes share it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
