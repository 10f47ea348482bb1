"""Pretraining (paper, section 2), in the order of events; what all training runs share is in :mod:`cdlm.runs`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from cdlm.errors import InputError
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining.config import PretrainingConfig
from cdlm.pretraining.document_sets import SetSource
from cdlm.pretraining.masking import VARIANT_WORDS, Masking
from cdlm.pretraining.perplexity import EvaluationSequences, Perplexity, set_losses
from cdlm.pretraining.token_store import TokenStore, in_words, prepare
from cdlm.pretraining.training_sequences import TrainingBatches, TrainingSequences, mean_loss
from cdlm.repeated_weights import share_projections
from cdlm.runs import Evaluation, Run, Say, say_on_stderr
from cdlm.sequences import ENDS, MARKERS, SequenceFrame
from cdlm.starting_encoders import encoder_folder
from cdlm.tokens import Tokenizer, load_tokenizer

TOKENS_FOLDER = ".tokens"
"""Folder in the output for the tokenised corpora during a run, unless they are kept elsewhere."""


def pretrain(
    config: PretrainingConfig,
    corpus: Sequence[SetSource],
    output: str | Path,
    *,
    dev: Sequence[SetSource] = (),
    tokens: str | Path | None = None,
    resume: bool = False,
    device: str | None = None,
    tracker: str | None = None,
    say: Say = say_on_stderr,
) -> None:
    """Pretrain an encoder further on sets of related documents, and write it with its head to a folder.

    Perplexity on the held-out sets `dev` is measured at the end. The tokenised corpora are kept in the folder `tokens`,
    where other runs can reuse them; by default they are in `output` and removed at the end. For the other arguments see
    :class:`cdlm.runs.Run`.
    """
    output = Path(output)
    own_tokens = output / TOKENS_FOLDER  # also marks a run whose tokens are elsewhere
    folder = Path(tokens) if tokens is not None else own_tokens
    if resume and own_tokens.is_dir() and not _begun(output):
        resume = False  # interrupted while tokenising
    processes = int(os.environ.get("WORLD_SIZE", "1"))  # set by accelerate's launcher
    options = replace(config.run, accumulation=config.accumulation(processes), evaluate_steps=config.run.steps)
    run = Run(output, options, config, resume=resume, device=device, tracker=tracker, say=say)
    if run.finished:
        return
    model, tokenizer = starting_model(config.encoder, run.say)
    model.check_length(config.max_length, config.encoder)
    if config.trained == "head":
        model.longformer.requires_grad_(False)
    frame, masking = SequenceFrame.of_tokenizer(tokenizer), Masking.of_tokenizer(tokenizer, config.masked)

    def prepared(name: str, sources: Sequence[SetSource]) -> TokenStore:
        return prepare(
            sources,
            tokenizer,
            folder / name,
            longest=config.max_length - ENDS - MARKERS,
            min_documents=config.min_documents,
            disposable=tokens is None and not resume,
            say=run.say,
        )

    with run.first_process_first():
        _mark(own_tokens)
        store = prepared("train", corpus)
        held_out = prepared("dev", dev) if dev else None
    run.say(f"{store.sets:,} sets of {store.documents:,} documents, {store.tokens:,} tokens")
    sequences = TrainingSequences(
        store, frame, config.max_length, masking, config.variant, options.seed, options.steps * config.batch_size
    )
    batches = TrainingBatches(sequences, config.sequences_at_once, model.longformer.config.pad_token_id)

    def evaluate(model: CDLMForMaskedLM) -> Evaluation[Perplexity | None]:
        if held_out is None:
            return Evaluation(0.0, "perplexity not measured, since there is no dev corpus", {}, {}, None)
        losses = set_losses(model, config.variant, EvaluationSequences(held_out, frame, config.max_length, masking))
        measured = Perplexity.of(losses, losses)
        summary = f"perplexity {measured.value:.2f}"
        return Evaluation(-losses.mean, summary, {"perplexity": measured.value}, asdict(measured), measured)

    def save(model: CDLMForMaskedLM, folder: Path, evaluation: Evaluation[Perplexity | None], _: float) -> None:
        if config.variant == "local" and config.trained == "all":
            # Never used by this variant, whose model is fine-tuned with global attention (paper, section 3).
            share_projections(model.longformer)
        model.save_pretrained(folder)
        tokenizer.save(folder)
        card = model_card(config, store, evaluation.chosen)
        (folder / "README.md").write_text(card, encoding="utf-8")

    run.train(model, batches, loss=mean_loss, evaluate=evaluate, save=save)
    shutil.rmtree(own_tokens, ignore_errors=True)
    for what, prepared_store in (("corpus", store), ("dev corpus", held_out)):
        if prepared_store is not None and prepared_store.left_out.total():
            run.say(f"omitted from the {what}: {in_words(prepared_store.left_out)}")


def _mark(folder: Path) -> None:
    """Create the folder that shows that tokenising has begun."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the model cannot be written here ({error.strerror}); choose another folder"
        raise InputError(message, folder.parent) from error


def _begun(output: Path) -> bool:
    """Whether training has started in a folder: it holds more than hidden files."""
    return output.exists() and (not output.is_dir() or any(not path.name.startswith(".") for path in output.iterdir()))


def starting_model(encoder: str, say: Say) -> tuple[CDLMForMaskedLM, Tokenizer]:
    """A model to pretrain further (see `encoder_folder`) and its tokenizer, with a head and all special tokens.

    New weights are drawn from PyTorch's random number generator and reported.
    """
    with encoder_folder(encoder) as folder:
        model = CDLMForMaskedLM.from_pretrained(folder, new_head=True).float()
        tokenizer = load_tokenizer(folder)
    if not model.longformer.remainder.masked_lm_head():
        say(f"{encoder} has no masked language modelling head; a new one is trained on the word embeddings")
    words = model.longformer.config.vocab_size
    if len(tokenizer) > words:
        model.resize_token_embeddings(len(tokenizer))
        say(f"special tokens added to {encoder}: {len(tokenizer) - words}")
    return model, tokenizer


def model_card(config: PretrainingConfig, store: TokenStore, perplexity: Perplexity | None) -> str:
    """The text of the model card."""
    trained = "all parameters" if config.trained == "all" else "only the head; the encoder is unchanged"
    lines = [
        "---",
        "library_name: cdcoref",
        "pipeline_tag: fill-mask",
        f"base_model: {config.encoder}",
        "---",
        f"# {config.encoder}, pretrained further on document sets",
        "A Longformer encoder with a masked language modelling head, pretrained with the method of *CDLM:",
        "Cross-Document Language Modeling* (Caciularu et al., Findings of EMNLP 2021).",
        "",
        f"- Variant `{config.variant}`: {VARIANT_WORDS[config.variant]}.",
        f"- Trained: {trained}.",
        f"- Corpus: {store.sets:,} sets of {store.documents:,} documents, {store.tokens:,} tokens.",
        f"- {config.run.steps:,} steps of {config.batch_size} sequences of at most {config.max_length:,} tokens, "
        f"learning rate {config.run.learning_rate:g}, random seed {config.run.seed}.",
    ]
    if perplexity is not None:
        lines.append(
            f"- Perplexity of masked tokens on {perplexity.sets:,} held-out sets: {perplexity.value:.2f} "
            f"(95 % interval {perplexity.low:.2f} to {perplexity.high:.2f})."
        )
    lines += [
        "",
        "`training.json` has the complete configuration. `cdlm perplexity --model` and `--encoder` accept this folder.",
    ]
    return "\n".join(lines) + "\n"
