"""The coreference model: batches of sequences in, logits of mention pairs and of candidate mentions out.

An encoder, a pair scorer and a mention detector; their configuration, the folder that holds them, and its model
card. The configuration can be read without PyTorch: what needs it is imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
