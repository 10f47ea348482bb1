"""What people look at: results in, tables and pages out. Nothing here computes a result."""

from cdcoref.views.score_tables import error_text

__all__ = ["error_text"]
