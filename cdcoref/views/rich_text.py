"""Tables of the rich library as text, as wide as the terminal, or 120 columns if there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def table_text(table: Table) -> str:
    """The printed table without its last line break; coloured only on a terminal."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    with console.capture() as captured:
        console.print(table)
    return captured.get().removesuffix("\n")
