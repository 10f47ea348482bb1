"""Coreference metrics: MUC, B3, CEAFm, CEAFe, LEA, BLANC, mention detection and CoNLL F1, from one sparse table.

A key and a response go in (files, corpora or plain clusters), recall, precision and F1 come out. Only NumPy is
imported, and SciPy when an assignment needs it.

>>> from cdcoref.scoring import score
>>> scores = score(key=[["a"], ["b", "c"], ["d", "e", "f"]], response=[["a"], ["d", "e"]])
>>> round(scores["b3"].recall, 4), round(scores.conll_f1, 4)
(0.3889, 0.5933)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
