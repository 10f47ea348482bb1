"""Time the encoder against Hugging Face's Longformer: the same random weights and inputs, taking turns in one process.

Rows: a sequence of each length with one global token, one of `--dense-length` with a share of them, and document pairs
of ECB+; forward, and with backward; fp32 and bf16. Columns: medians of Hugging Face's model, of the same without its
mask of length x length, and of ours; and peak memory. A second table: ours with a relative position bias.

    python scripts/benchmark.py encoder --shape base --lengths 1024,4096 --precisions fp32 --repeats 3
    python scripts/benchmark.py encoder --device cuda --ecb-root DIR
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
import transformers
from torch import Tensor
from transformers import LongformerModel
from transformers.models.longformer import modeling_longformer

from cdlm.config import EncoderConfig
from cdlm.encoder import CDLMModel
from cdlm.tokens import DOC_END, DOC_START, WordPieces, load_tokenizer

SHAPES = {
    # Layers, width, heads, inner width: all-MiniLM-L6, and Longformer-base.
    "minilm": (6, 384, 12, 1536),
    "base": (12, 768, 12, 3072),
}
PAD = 1
BUCKETS = 32
"""Of the relative position bias, as in MPNet."""
PAIRS = 8
TOKENIZER = Path(__file__).resolve().parents[2] / "cdcoref" / "models" / "small"
MODELS = ("hugging face", "without mask", "cdlm")


@dataclass(frozen=True)
class Inputs:
    """One padded batch, each *shape* (batch, length)."""

    name: str
    ids: Tensor
    mask: Tensor
    global_mask: Tensor

    @property
    def tokens(self) -> int:
        """Tokens that are not padding."""
        return int(self.mask.sum())

    def to(self, device: str) -> Inputs:
        """The same on a device."""
        return Inputs(self.name, self.ids.to(device), self.mask.to(device), self.global_mask.to(device))


@dataclass(frozen=True)
class Row:
    """One measured row: seconds, and megabytes of peak memory, by model."""

    inputs: str
    tokens: int
    step: str
    precision: str
    seconds: dict[str, float]
    megabytes: dict[str, float]


def make_checkpoint(shape: str, window: int, positions: int, folder: Path) -> None:
    """Write an encoder with random weights, large enough for the longest row."""
    layers, width, heads, inner = SHAPES[shape]
    torch.manual_seed(0)
    config = EncoderConfig(
        vocab_size=31_000,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=inner,
        attention_window=(window,) * layers,
        max_position_embeddings=positions + PAD + 1,
        pad_token_id=PAD,
    )
    CDLMModel(config).save_pretrained(folder)


def with_global(name: str, ids: Tensor, mask: Tensor, share: float, always: Tensor) -> Inputs:
    """Make a random share of the tokens global, plus those that always are."""
    generator = torch.Generator().manual_seed(1)
    drawn = torch.rand(ids.shape, generator=generator) < share
    name += f", {share:.0%} global" if share >= 0.01 else ""
    return Inputs(name, ids.where(mask.bool(), PAD), mask, ((drawn | always) & mask.bool()).long())


def one_sequence(length: int, share: float = 0.0) -> Inputs:
    """A sequence of random tokens, the first of them global, and a share of the others."""
    ids = torch.randint(PAD + 1, 30_000, (1, length), generator=torch.Generator().manual_seed(length))
    always = torch.zeros_like(ids, dtype=torch.bool)
    always[0, 0] = True
    return with_global(f"{length:,} tokens", ids, torch.ones_like(ids), share, always)


def ecb_pairs(root: Path, share: float) -> Inputs:
    """Pairs of complete ECB+ documents of the dev split in one batch, evenly spaced in the order of length."""
    from cdcoref.corpora import read_ecb

    tokenizer = load_tokenizer(TOKENIZER)
    pieces = WordPieces(tokenizer)
    vocabulary = tokenizer.vocabulary()
    start, end = vocabulary[DOC_START], vocabulary[DOC_END]
    documents = []
    for document in read_ecb(root, "dev").documents:
        inner = [piece for word in pieces(document.tokens) for piece in word]
        documents.append([start, *inner, end])
    pairs = sorted(zip(documents[::2], documents[1::2], strict=False), key=lambda pair: len(pair[0]) + len(pair[1]))
    chosen = [pairs[(2 * place + 1) * len(pairs) // (2 * PAIRS)] for place in range(PAIRS)]
    rows = [[tokenizer.first_id, *first, *second] for first, second in chosen]
    length = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (length - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in rows])
    always = (ids == start) | (ids == end)
    always[:, 0] = True
    return with_global(f"{PAIRS} ECB+ pairs, {min(map(len, rows))}-{length}", ids, mask, share, always)


@contextmanager
def spared_its_mask() -> Iterator[None]:
    """Make Hugging Face's model create only the row of its mask that it uses."""
    original = modeling_longformer.create_bidirectional_mask

    def one_row(*, inputs_embeds: Tensor, attention_mask: Tensor, **_: object) -> Tensor:
        row = torch.zeros(attention_mask.shape, dtype=inputs_embeds.dtype, device=inputs_embeds.device)
        return row.masked_fill(attention_mask == 0, torch.finfo(row.dtype).min)[:, None, None]

    modeling_longformer.create_bidirectional_mask = one_row  # type: ignore[assignment]
    try:
        yield
    finally:
        modeling_longformer.create_bidirectional_mask = original


def load(name: str, arguments: argparse.Namespace) -> torch.nn.Module:
    """Load one of the implementations, without dropout."""
    if name == "cdlm":
        return CDLMModel.from_pretrained(arguments.checkpoint).to(arguments.device)
    model = LongformerModel.from_pretrained(arguments.checkpoint, add_pooling_layer=False)
    return model.eval().to(arguments.device)


def run(name: str, model: torch.nn.Module, inputs: Inputs, step: str, precision: str) -> None:
    """One step of one implementation."""
    backward = step != "forward"
    if name == "without mask":
        with spared_its_mask():
            return run("hugging face", model, inputs, step, precision)
    device = inputs.ids.device.type
    with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"), torch.set_grad_enabled(backward):
        states = model(
            inputs.ids, attention_mask=inputs.mask, global_attention_mask=inputs.global_mask
        ).last_hidden_state
    if backward:
        (states.float().square() * inputs.mask[:, :, None]).mean().backward()
        model.zero_grad()
    if device == "cuda":
        torch.cuda.synchronize()
    return None


def median_seconds(steps: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Medians of steps that take turns, after one uncounted turn."""
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(repeats + 1):
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            if turn:
                taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def peak_megabytes(arguments: argparse.Namespace, number: int, name: str, step: str, precision: str) -> float:
    """Peak memory of one step beyond the loaded model's, measured in a process of its own."""
    command = [sys.executable, __file__, "--memory-of", json.dumps([number, name, step, precision])]
    command += ["--checkpoint", str(arguments.checkpoint), "--threads", str(arguments.threads)]
    command += ["--lengths", ",".join(map(str, arguments.lengths)), "--share", str(arguments.share)]
    command += ["--dense-length", str(arguments.dense_length), "--device", arguments.device]
    command += ["--ecb-root", str(arguments.ecb_root)] if arguments.ecb_root else []
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(answer.stdout.split()[-1])


def print_own_peak(arguments: argparse.Namespace) -> None:
    """Do one step, and print the megabytes by which the process grew."""
    number, name, step, precision = json.loads(arguments.memory_of)
    inputs = all_inputs(arguments)[number]
    model = load(name, arguments)
    # A short step first, so that libraries are loaded and kernels compiled.
    run(name, model, one_sequence(64, 0.1).to(arguments.device), step, precision)
    if arguments.device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated() / 2**20
        run(name, model, inputs, step, precision)
        print(torch.cuda.max_memory_allocated() / 2**20 - before)
        return
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the current usage
    before = peak_of_this_process()
    run(name, model, inputs, step, precision)
    print(peak_of_this_process() - before)


def peak_of_this_process() -> float:
    """Megabytes of the largest resident size so far."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1]) / 1024


def all_inputs(arguments: argparse.Namespace) -> list[Inputs]:
    """The batches of the rows."""
    inputs = [one_sequence(length) for length in arguments.lengths]
    inputs.append(one_sequence(arguments.dense_length, arguments.share))
    if arguments.ecb_root:
        inputs.append(ecb_pairs(arguments.ecb_root, arguments.share))
    return [one.to(arguments.device) for one in inputs]


def measure(arguments: argparse.Namespace) -> None:
    """Print every row when it is done."""
    models = {name: load(name, arguments) for name in ("hugging face", "cdlm")}
    models["without mask"] = models["hugging face"]
    for number, inputs in enumerate(all_inputs(arguments)):
        for step in arguments.steps:
            for precision in arguments.precisions:
                turns = {name: partial(run, name, models[name], inputs, step, precision) for name in MODELS}
                seconds = median_seconds(turns, arguments.repeats)
                megabytes = {}
                if not arguments.no_memory:
                    megabytes = {name: peak_megabytes(arguments, number, name, step, precision) for name in MODELS}
                print(line_of(Row(inputs.name, inputs.tokens, step, precision, seconds, megabytes)), flush=True)


def line_of(row: Row) -> str:
    """One line of the Markdown table."""
    times = [f"{row.seconds[name] * 1000:,.0f}" for name in MODELS]
    ratios = [f"{row.seconds[name] / row.seconds['cdlm']:.2f}" for name in MODELS[:2]]
    memory = [f"{row.megabytes[name]:,.0f}" if row.megabytes else "" for name in MODELS]
    cells = [row.inputs, f"{row.tokens:,}", row.step, row.precision, *times, *ratios, *memory]
    return "| " + " | ".join(cells) + " |"


def print_bias(arguments: argparse.Namespace) -> None:
    """What a relative position bias costs: our encoder with one, and the same without, taking turns."""
    plain = CDLMModel.from_pretrained(arguments.checkpoint).to(arguments.device)
    config = replace(plain.config, relative_attention_num_buckets=BUCKETS)
    biased = CDLMModel(config).eval().to(arguments.device)
    biased.load_state_dict(plain.state_dict(), strict=False)
    models = {"without": plain, "with": biased}
    for inputs in all_inputs(arguments):
        for step in arguments.steps:
            for precision in arguments.precisions:
                turns = {name: partial(run, "cdlm", model, inputs, step, precision) for name, model in models.items()}
                seconds = median_seconds(turns, arguments.repeats)
                cells = [inputs.name, step, precision, *(f"{seconds[name] * 1000:,.0f}" for name in models)]
                print("| " + " | ".join([*cells, f"{seconds['with'] / seconds['without']:.3f}"]) + " |", flush=True)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--ecb-root", type=Path, help="folder of ECB+, for the row of document pairs")
    parser.add_argument("--shape", choices=SHAPES, default="minilm")
    parser.add_argument("--window", type=int, default=512, help="total width of the attention window")
    parser.add_argument(
        "--lengths", type=lambda text: [int(n) for n in text.split(",")], default=[256, 1024, 4096, 8192]
    )
    parser.add_argument("--steps", type=words, default=["forward", "forward+backward"])
    parser.add_argument("--precisions", type=words, default=["fp32", "bf16"])
    parser.add_argument("--share", type=float, default=0.15, help="share of global tokens in the last rows")
    parser.add_argument("--dense-length", type=int, default=4096, help="length of the row with that share, in tokens")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--repeats", type=int, default=5, help="number of counted turns")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--no-memory", action="store_true", help="measure only times")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--checkpoint", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def main() -> None:
    """Measure and print, or, in a process of its own, measure memory."""
    arguments = parse()
    logging.getLogger("transformers").setLevel(logging.ERROR)
    torch.set_num_threads(arguments.threads)
    if arguments.memory_of:
        print_own_peak(arguments)
        return
    with tempfile.TemporaryDirectory() as folder:
        arguments.checkpoint = Path(folder)
        make_checkpoint(arguments.shape, arguments.window, max([8192, *arguments.lengths]), arguments.checkpoint)
        versions = f"torch {torch.__version__}, transformers {transformers.__version__}"
        print(f"{arguments.shape}, window {arguments.window}, {arguments.threads} threads, {versions}")
        place = torch.cuda.get_device_name() if arguments.device == "cuda" else "CPU"
        print(f"{place}, medians of {arguments.repeats}\n")
        heads = ["input", "tokens", "step", "precision", *(f"{name}, ms" for name in MODELS)]
        heads += ["ratio", "ratio without mask", *(f"{name}, MB" for name in MODELS)]
        print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads), flush=True)
        measure(arguments)
        print("\n| input | step | precision | without bias, ms | with bias, ms | ratio |\n|" + " --- |" * 6)
        print_bias(arguments)


if __name__ == "__main__":
    main()
