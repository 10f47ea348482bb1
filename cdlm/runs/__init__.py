"""One training run, whatever is trained: a model, its data and three functions in, the best saved model's folder out.

:class:`Run` checks and claims the output folder and sets the random seed; :meth:`Run.train` then needs the model, its
:class:`TrainingData` (whose batches follow from seed, epoch and number), a loss, an evaluation, and a function that
saves the model. It writes complete checkpoints, from which a run that was killed at any moment resumes and ends with
the same weights bit for bit; evaluates at the end of every epoch (or after a number of steps) and keeps the best model;
reports progress on standard error and to TensorBoard or another tracker. Under ``accelerate launch`` several processes
share the work. Nothing here knows what is trained.
"""

from cdlm.runs.checkpoints import is_whole, last_whole_checkpoint, mark_whole
from cdlm.runs.folder import RUN_FILE, RunFolder, digest
from cdlm.runs.loop import Evaluation, TrainingData
from cdlm.runs.options import RunOptions
from cdlm.runs.progress import Say, say_on_stderr
from cdlm.runs.run import Run

__all__ = [
    "RUN_FILE",
    "Evaluation",
    "Run",
    "RunFolder",
    "RunOptions",
    "Say",
    "TrainingData",
    "digest",
    "is_whole",
    "last_whole_checkpoint",
    "mark_whole",
    "say_on_stderr",
]
