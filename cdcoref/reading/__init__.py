"""Everything that is known of a document, computed once: documents and mentions in, facts and circumstances out.

Whoever needs more than the words of a document takes it from its :class:`Reading`: predictor, linking, training,
evaluation, collections, reports and views. The model adds mentions and their vectors (:func:`cdcoref.linking.read`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
