"""The cross-document language model: a long encoder with sliding-window and global attention."""
