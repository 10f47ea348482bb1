"""``python -m cdcoref``, which ``accelerate launch -m cdcoref`` needs."""

from cdcoref.cli import main

main()
