"""The cross-document language model: a long encoder with sliding-window and global attention."""

import os

# OpenMP threads that wait busily take the cores from other programs, and make everything several times slower if there
# are any. PyTorch reads this setting on import, so it is set here, before that, unless the user has set it.
if not os.environ.keys() & {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}:
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
