"""The model card of a pretrained model: its configuration, corpus and perplexity in, Markdown out."""

from __future__ import annotations

from cdlm.pretraining.config import PretrainingConfig
from cdlm.pretraining.masking import VARIANT_WORDS
from cdlm.pretraining.perplexity import Perplexity
from cdlm.pretraining.token_store import TokenStore


def model_card(config: PretrainingConfig, store: TokenStore, perplexity: Perplexity | None) -> str:
    """Write the card."""
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
