"""Prediction: documents in, mentions and their clusters across documents out.

`load` reads a model as a `Predictor`, which groups documents into stories and has an engine link them: on this machine,
one story after the other, or on a Ray cluster. A
`Prediction` can be used without PyTorch.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
