"""The cross-encoder of upper layers: pairs without an order, folders, and configurations that cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from cdcoref.corpus import Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import ContextOptions, DocumentContexts, MentionContext
from cdcoref.model import CorefConfig, CorefModel, VectorOptions, collate_contexts, collate_readings
from cdcoref.reading import Reading

OPTIONS = ContextOptions(rank=4, lower_layers=1, opening=6, names=6, sentence=16, width=16)
CONFIG = CorefConfig(detector_width=0, vectors=VectorOptions(layers=2), contexts=OPTIONS)


@pytest.fixture(scope="module")
def model(tiny_biased_encoder: Path) -> CorefModel:
    """A model whose random cross-encoder is bold."""
    torch.manual_seed(4)
    made = CorefModel.from_encoder(tiny_biased_encoder, CONFIG).eval()
    assert made.context_scorer is not None
    with torch.no_grad():
        for weight in made.context_scorer.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    return made


class Contexts:
    """The contexts of mentions of a document, and what the lower layers say of it."""

    def __init__(self, model: CorefModel) -> None:
        self.model = model
        text = ["The ferry sank in a storm .", "Police saw Ada at 7 .", "She saw the ferry ."]
        document = Document.from_sentences("d", [line.split() for line in text])
        sequences = list(model.reading_builder()(document))
        contexts = DocumentContexts(Reading(document), sequences, OPTIONS)
        found = [contexts.of(Mention("d", tokens, "event")) for tokens in ((2,), (8,), (1,), (14, 15))]
        self.contexts = [context for context in found if context is not None]
        assert len(self.contexts) == 4
        with torch.no_grad():
            (sequence,) = sequences
            self.states = model.lower_states(collate_readings([sequence], 0))[0]

    def logits(
        self, pairs: Sequence[tuple[int, int]], kinds: Sequence[int], contexts: Sequence[MentionContext] | None = None
    ) -> Tensor:
        own = [(contexts or self.contexts)[n] for pair in pairs for n in pair]
        batch = collate_contexts(self.states, [torch.from_numpy(context.pieces) for context in own], own, kinds)
        with torch.no_grad():
            return self.model.context_logits(batch)


@pytest.fixture(scope="module")
def read(model: CorefModel) -> Contexts:
    return Contexts(model)


PAIRS = [(0, 1), (0, 3), (2, 1), (3, 2), (1, 3)]
KINDS_OF = [0, 1, 1, 0, 0]


def test_both_orders_have_one_logit(read: Contexts) -> None:
    logits = read.logits(PAIRS, KINDS_OF)
    assert logits.std() > 0.01
    turned = read.logits([(b, a) for a, b in PAIRS], KINDS_OF)
    torch.testing.assert_close(turned, logits, atol=1e-5, rtol=1e-4)


def test_a_pair_does_not_depend_on_the_others_of_its_batch(read: Contexts) -> None:
    logits = read.logits(PAIRS, KINDS_OF)
    alone = torch.cat([read.logits([pair], [kind]) for pair, kind in zip(PAIRS, KINDS_OF, strict=True)])
    torch.testing.assert_close(alone, logits, atol=1e-5, rtol=1e-4)


def test_marks_kinds_and_mentions_matter(model: CorefModel, read: Contexts) -> None:
    logits = read.logits(PAIRS, KINDS_OF)
    other_kinds = read.logits(PAIRS, [1 - kind for kind in KINDS_OF])
    assert (other_kinds - logits).abs().min() > 1e-4
    # The same pieces with another mention marked.
    own = read.contexts[0].own.copy()
    own[:] = False
    own[-1] = True
    moved = [replace(read.contexts[0], own=own), *read.contexts[1:]]
    changed = (read.logits(PAIRS, KINDS_OF, moved) - logits).abs()
    assert changed[[0, 1]].min() > 1e-4
    assert changed[2:].max() == 0
    assert model.context_scorer is not None
    before = model.context_scorer.marks.detach().clone()
    with torch.no_grad():
        model.context_scorer.marks[0] += torch.randn(32)
        changed = (read.logits(PAIRS, KINDS_OF) - logits).abs()
        model.context_scorer.marks.copy_(before)
    assert changed[[0, 3, 4]].min() > 1e-4
    assert changed[[1, 2]].max() == 0


def test_within_eight_bits_contexts_are_read_in_eight_bits_too(model: CorefModel, read: Contexts) -> None:
    exact = read.logits(PAIRS, KINDS_OF)
    for _ in range(2):
        with model.reading_in_int8():
            rounded = read.logits(PAIRS, KINDS_OF)
            model.load_state_dict({}, strict=False)  # as when heads are fitted meanwhile
            assert torch.equal(read.logits(PAIRS, KINDS_OF), rounded)
        assert 0 < (rounded - exact).abs().max() < 0.3 * exact.std()
        assert torch.equal(read.logits(PAIRS, KINDS_OF), exact)


@pytest.mark.parametrize("int8", [False, True])
def test_a_folder_keeps_it(model: CorefModel, read: Contexts, tmp_path: Path, int8: bool) -> None:
    model.save_pretrained(tmp_path / "m", "# card\n", int8=int8)
    again = CorefModel.from_pretrained(tmp_path / "m")
    assert again.settings == model.settings
    found = Contexts(again).logits(PAIRS, KINDS_OF)
    exact = read.logits(PAIRS, KINDS_OF)
    torch.testing.assert_close(found, exact, atol=0.3 * float(exact.std()) if int8 else 0.0, rtol=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (replace(OPTIONS, lower_layers=3), "lower_layers is 3, but the encoder has 3 layers"),
        (replace(OPTIONS, sentence=60), "up to 144 word pieces, more than half the encoder's window of attention, 64"),
    ],
)
def test_a_too_small_encoder_is_refused(tiny_biased_encoder: Path, options: ContextOptions, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CorefModel.from_encoder(tiny_biased_encoder, replace(CONFIG, contexts=options))
