"""The cross-document language model: a long encoder with sliding-window and global attention."""

import os

# OpenMP threads that wait busily take the cores from other programs: beside three other processes on 2 cores a forward
# pass takes twice as long. Those that sleep at once lose 8 % on an idle machine; those that wait for some microseconds
# first, 2 %. PyTorch reads this setting on import, so it is set before that, unless the
# user has chosen one.
if not os.environ.keys() & {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}:
    os.environ["GOMP_SPINCOUNT"] = "1000"

# PyTorch keeps the kernels that oneDNN generates, one for every shape of a matrix product and by default 1,024 of them.
# Documents have all lengths, so the least recently used are hardly ever needed again: with 64, predicting 100 texts
# takes as long and 250 MB less (of 1.5 GB).
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")
