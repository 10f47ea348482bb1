"""Tasks for which a pretrained encoder is fine-tuned, other than coreference (paper, sections 3.3 and 3.4).

Document matching: pairs of texts in (`read_pairs`), a model trained on them (`train_matcher`), and for every pair the
probability that the relation holds out (`predict_pairs`). Multi-hop question answering: questions with paragraphs in
(`read_questions`), a model trained on them (`train_reader`), and answers with their supporting sentences out
(`predict_answers`). Both start from any encoder of this project, are trained with :mod:`cdlm.runs`, and are saved as a
folder (`MatchModel`, `QAModel`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
