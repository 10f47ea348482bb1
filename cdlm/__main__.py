"""``python -m cdlm``."""

from cdlm.cli import main

main()
