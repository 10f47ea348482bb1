"""The cross-document language model: a long encoder with sliding-window and global attention."""

import os

# Threads of OpenMP that wait busily keep the cores from other programs, and make everything several times slower where
# there are some. It is read when PyTorch is imported, so it is set here, before; who has set it keeps what they chose.
if not os.environ.keys() & {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}:
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
