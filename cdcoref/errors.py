"""What a user can get wrong: one exception type, printed by the command line as one sentence with exit code 2."""

from cdlm.errors import InputError, first_line

__all__ = ["InputError", "first_line"]
