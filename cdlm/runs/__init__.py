"""One training run, whatever is trained.

:class:`Run` checks and claims the output folder and sets the random seed; :meth:`Run.train` then needs the model, its
:class:`TrainingData`, a loss, an evaluation, and a function that saves the model. It writes complete checkpoints, from
which a run that was killed at any moment resumes and ends with the same weights bit for bit, keeps the best model, and
reports progress to TensorBoard or another tracker. Under ``accelerate launch`` several processes share the work.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
