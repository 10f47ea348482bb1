"""Time cdcoref with its own encoder and with Hugging Face's Longformer in its place, everything else being equal.

The default model, once as it is and once with its encoders' weights in ``LongformerModel``: `cdcoref predict` on the
sample texts and on part of the dev split of ECB+ (with gold mentions; without reading files and loading the model), and
a training epoch on the train split. Only evenly spaced batches of the epoch are run, forward and backward, the two
encoders taking turns; their time is scaled to the word pieces of the epoch. The largest difference between the
probabilities of mention pairs is printed too.

    python scripts/benchmark.py end-to-end --ecb-root DIR
    python scripts/benchmark.py end-to-end --precision fp32
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import LongformerModel
from transformers.utils import logging

from cdcoref.corpora import read_ecb
from cdcoref.corpus import Corpus
from cdcoref.formats import read_corpus
from cdcoref.linking import Comparison, all_pairs
from cdcoref.model import CorefModel, LabelledBatch
from cdcoref.predict import Predictor, load
from cdcoref.stories import group_documents
from cdcoref.training import PRESETS, TrainingData
from cdlm.encoder import CDLMModel, EncoderOutput

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"


class HuggingFaceEncoder(nn.Module):
    """Hugging Face's model with the weights and the interface of ours."""

    def __init__(self, encoder: CDLMModel) -> None:
        super().__init__()
        self.config = encoder.config
        with tempfile.TemporaryDirectory() as folder:
            encoder.save_pretrained(folder)
            self.model = LongformerModel.from_pretrained(folder, add_pooling_layer=False)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        global_attention_mask: Tensor,
        *,
        output_hidden_states: bool = False,
    ) -> EncoderOutput:
        """Padding has a vector of zeros, as in ours."""
        output = self.model(
            input_ids,
            attention_mask=attention_mask,
            global_attention_mask=global_attention_mask * attention_mask,
            output_hidden_states=output_hidden_states,
        )
        read = attention_mask[:, :, None]
        layers = tuple(states * read for states in output.hidden_states) if output_hidden_states else None
        return EncoderOutput(output.last_hidden_state * read, hidden_states=layers)


def with_their_encoder(model: CorefModel) -> CorefModel:
    """The model with Hugging Face's encoder in place of its own, and of what that was before fine-tuning."""
    earlier = [] if model.earlier is None else [HuggingFaceEncoder(model.earlier_encoder())]
    model.encoder = HuggingFaceEncoder(model.encoder)  # type: ignore[assignment]
    model._earlier_encoder[:] = earlier  # type: ignore[assignment]
    return model.eval()


def seconds_of(step: Callable[[], object]) -> float:
    """How long a step takes."""
    started = time.perf_counter()
    step()
    return time.perf_counter() - started


def report(what: str, theirs: float, ours: float) -> None:
    """One line of the Markdown table."""
    print(f"| {what} | {theirs:.1f} | {ours:.1f} | {theirs / ours:.2f} |", flush=True)


def largest_difference(models: dict[str, Predictor], corpus: Corpus) -> float:
    """The largest difference between the probabilities of mention pairs within the groups of a corpus."""
    groups = group_documents(corpus.documents, "predicted")
    logits = [
        Comparison(predictor.model, corpus, all_pairs(groups)).run(batch_tokens=8192).logits
        for predictor in models.values()
    ]
    first, second = (1 / (1 + np.exp(-values)) for values in logits)
    return float(np.abs(first - second).max(initial=0))


def training_step(model: nn.Module, batch: LabelledBatch, precision: str) -> None:
    """Forward and backward."""
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        loss = model(batch)
    loss.backward()
    model.zero_grad()


def epoch_seconds(models: dict[str, Predictor], corpus: Corpus, batches: int, precision: str) -> dict[str, float]:
    """Seconds of an epoch's forward and backward passes, estimated from some of its batches after one uncounted."""
    config = PRESETS["small"]
    data = TrainingData(models["cdlm"].model, corpus, config.sampling, seed=0)
    taken = dict.fromkeys(models, 0.0)
    pieces = 0
    chosen = [len(data) - 1, *map(round, np.linspace(0, len(data) - 1, batches))]
    for place, number in enumerate(chosen):
        batch = data[number]
        for name, predictor in models.items():
            predictor.model.train()
            seconds = seconds_of(partial(training_step, predictor.model, batch, precision))
            taken[name] += seconds if place else 0.0
        pieces += int(batch.inputs.attention_mask.sum()) if place else 0
    total = sum(int(data[number].inputs.attention_mask.sum()) for number in range(len(data)))
    return {name: seconds * total / pieces for name, seconds in taken.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ecb-root", type=Path, help="folder of ECB+, for the dev split and the training epoch")
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="bf16")
    parser.add_argument("--every", type=int, default=4, help="use only every N-th group of dev's documents; 1: all")
    parser.add_argument("--batches", type=int, default=12, help="number of training batches to run")
    parser.add_argument("--parts", default="sample,dev,epoch", help="which of sample, dev and epoch to measure")
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    logging.disable_progress_bar()
    logging.set_verbosity_error()

    models = {name: load("default", device="cpu", precision=arguments.precision) for name in ("hugging face", "cdlm")}
    with_their_encoder(models["hugging face"].model)
    print(f"{torch.get_num_threads()} threads, {arguments.precision}\n")
    print("| | hugging face, s | cdlm, s | ratio |\n| --- | --- | --- | --- |", flush=True)
    if "sample" in parts:
        sample = read_corpus(sorted(map(str, SAMPLE.glob("*.txt")))).corpus
        for predictor in models.values():
            predictor.predict(replace(sample, documents=sample.documents[:1]))
        report("predict, sample", *(seconds_of(partial(p.predict, sample)) for p in models.values()))
        mentions = models["cdlm"].predict(sample).corpus
        print(f"largest difference of a probability: {largest_difference(models, mentions):.1e}\n")
    if arguments.ecb_root and "dev" in parts:
        dev = read_ecb(arguments.ecb_root, "dev")
        chosen = group_documents(dev.documents, "predicted")[:: arguments.every]
        dev = dev.subset([name for group in chosen for name in group])
        what = f"predict, {len(dev.documents)} documents of ECB+ dev"
        report(what, *(seconds_of(partial(p.predict, dev)) for p in models.values()))
    if arguments.ecb_root and "epoch" in parts:
        corpus = read_ecb(arguments.ecb_root, "train")
        seconds = epoch_seconds(models, corpus, arguments.batches, arguments.precision)
        report("training epoch, ECB+ train", *seconds.values())


if __name__ == "__main__":
    main()
