"""Gradients of indexed tensors are the same every time, whatever else the processor does."""

from __future__ import annotations

import pytest
import torch

from cdlm.gradients import repeatable_gradients
from tests.killing import busy_process


def test_gradients_are_the_same_beside_a_busy_process() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(300, 128, generator=generator, requires_grad=True)
    indices = torch.randint(0, 20, (4000,), generator=generator)
    weights = torch.randn(4000, 128, generator=generator)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    gradients = []
    with busy_process():
        for _ in range(10):
            loss = (rows[indices] * weights).sum()
            with repeatable_gradients(loss.device):
                gradients += torch.autograd.grad(loss, rows)
    torch.set_num_threads(before)
    assert all(torch.equal(gradient, gradients[0]) for gradient in gradients)
    expected = torch.zeros(300, 128, dtype=torch.float64).index_add(0, indices, weights.double())
    torch.testing.assert_close(gradients[0].double(), expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize("before", [(False, False), (True, True)])
def test_the_settings_of_pytorch_are_restored(before: tuple[bool, bool]) -> None:
    torch.use_deterministic_algorithms(before[0], warn_only=before[1])
    with repeatable_gradients(torch.device("cpu")):
        assert torch.are_deterministic_algorithms_enabled()
    after = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(False)
    assert after == before
    with repeatable_gradients(torch.device("meta")):
        assert not torch.are_deterministic_algorithms_enabled()
