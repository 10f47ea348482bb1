#!/usr/bin/env python
"""Build the model that ships with the package, from all-MiniLM-L6-v2 and the train and dev splits of ECB+.

    pip install -c constraints.txt -e '.[build]'
    python scripts/build_default_model.py --ecb-root DIR

Trains with the preset `small`, stores matrices as 8-bit integers, tunes thresholds and temperatures on dev once more
for the rounded weights, and writes cdcoref/models/default with its card. What the card says was measured on the
model as it ships. With --trained FOLDER
an already trained model is packed. --resume goes on after an interruption.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from cdcoref.corpora import read_ecb
from cdcoref.corpus import Corpus
from cdcoref.model import DEFAULT_MODEL, CorefModel, Metadata, model_card
from cdcoref.training import PRESETS, train, tune
from cdlm.quantization import dequantize, quantize
from cdlm.runs import RUN_FILE, say_on_stderr
from cdlm.settings import with_settings

CORPORA = """It was made from all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0), converted to Longformer attention,
and trained on the train split of ECB+ 1.0 (Cybulska and Vossen 2014; annotation under CC BY 3.0): topics 1-35 without
the dev topics 2, 5, 12, 18, 21, 23, 34 and 35. The weights are 8-bit integers with one scale per row, read as 32-bit
floats. The corpus is English news from before 2014; expect lower scores on other text.
"""
METADATA = Metadata("en", "apache-2.0", ("ecb",), "sentence-transformers/all-MiniLM-L6-v2")


def main() -> None:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ecb-root", type=Path, required=True, help="folder of ECB+ 1.0")
    parser.add_argument("-o", "--output", type=Path, default=DEFAULT_MODEL, help="default: %(default)s")
    parser.add_argument("--work", type=Path, default=Path("build/default-model"), help="where training happens")
    parser.add_argument("--trained", type=Path, help="a trained model's folder to pack, instead of training one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on with the training in --work")
    arguments = parser.parse_args()

    dev = read_ecb(arguments.ecb_root, "dev")
    if arguments.trained is None:
        config = with_settings(PRESETS["small"], {"run.seed": arguments.seed})
        train_corpus = read_ecb(arguments.ecb_root, "train")
        train(config, train_corpus, dev, arguments.work, resume=arguments.resume)
    pack(arguments.trained or arguments.work, arguments.output, dev)


def pack(trained: Path, output: Path, dev: Corpus) -> None:
    """Write a trained model with 8-bit weights, tuned and measured as such."""
    run = json.loads((trained / RUN_FILE).read_text(encoding="utf-8"))
    model = CorefModel.from_pretrained(trained)
    model.load_state_dict(dequantize(quantize(model.state_dict())))
    say_on_stderr("tuning the packed model on dev")
    model.settings, scores = tune(model, dev, batch_tokens=16_384)
    card = model_card(model, run["configuration"], scores, run["best_epoch"], CORPORA, METADATA)
    model.save_pretrained(output, card, int8=True)
    run["dev"] = {kind: asdict(values) for kind, values in scores.items()}
    (output / RUN_FILE).write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in output.iterdir())
    say_on_stderr(f"{output}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
