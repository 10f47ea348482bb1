"""What the training of all tasks shares: nested settings from flat names, and batches that follow from the seed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from cdlm.settings import with_settings
from cdlm.tasks import MatchModel, MatchTraining, TextPair, train_matcher

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer


def test_batches_follow_from_seed_and_epoch(tiny_encoder: Path, wordpiece: Tokenizer, tmp_path: Path) -> None:
    """Ten pairs of a number and a letter, in batches of four, in either order."""
    pairs = [TextPair(str(number), str(number), "a", number % 2) for number in range(10)]

    def orders(seed: int, folder: str) -> list[list[list[str]]]:
        """The batches of each of three epochs, as the model reads them."""
        read: list[list[str]] = []

        def see(module: nn.Module, given: tuple[Any, ...]) -> None:
            if isinstance(module, MatchModel) and module.training:
                texts = (" ".join(wordpiece.tokens(row)) for row in given[0].input_ids.tolist())
                read.append(
                    [text.replace("<doc-s>", "").replace("</doc-s>", "").split(maxsplit=1)[1] for text in texts]
                )

        values = {"encoder": str(tiny_encoder), "max_length": 32, "both_orders": True, "batch_size": 4}
        settings = with_settings(MatchTraining(), {**values, "seed": seed, "epochs": 3, "precision": "fp32"})
        handle = nn.modules.module.register_module_forward_pre_hook(see)
        try:
            train_matcher(settings, pairs, pairs[:2], tmp_path / folder, device="cpu", tracker="none", say=str)
        finally:
            handle.remove()
        assert [len(batch) for batch in read] == [4, 4, 2] * 3
        return [read[start : start + 3] for start in (0, 3, 6)]

    def numbers(epoch: list[list[str]]) -> list[str]:
        return [min(text.split()) for batch in epoch for text in batch]

    once = orders(1, "once")
    assert all(sorted(numbers(epoch)) == [str(number) for number in range(10)] for epoch in once)
    turned = {tuple(text.startswith("a") for text in batch) for epoch in once for batch in epoch if len(batch) == 4}
    assert len(turned) > 2
    assert once == orders(1, "again")
    assert len({str(numbers(epoch)) for epoch in (*once, *orders(0, "other"))}) == 6
