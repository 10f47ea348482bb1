"""One training run, whatever is trained: a model, its data and three functions in, the best saved model's folder out.

:class:`Run` checks and claims the output folder and sets the random seed; :meth:`Run.train` then needs the model, its
:class:`TrainingData` (whose batches follow from seed, epoch and number), a loss, an evaluation, and a function that
saves the model. It writes complete checkpoints, from which a run that was killed at any moment resumes and ends with
the same weights bit for bit; evaluates at the end of every epoch (or after a number of steps) and keeps the best model;
reports progress on standard error and to TensorBoard or another tracker. Under ``accelerate launch`` several processes
share the work. Nothing here knows what is trained.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
