"""Fine-tuning (paper, section 3.2 and Appendix C.1) in the order of events: annotated corpora in, a model's folder out.
What all training runs share is in :mod:`cdlm.runs`."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from cdcoref.corpora import AnnotatedCorpus, Corpora, annotated_corpora, licences
from cdcoref.errors import InputError
from cdcoref.inputs import ContextOptions
from cdcoref.model import (
    UNSEEN,
    CorefConfig,
    CorefModel,
    KindScores,
    VectorOptions,
    check_contexts,
    model_card,
    model_fingerprint,
)
from cdcoref.training.bi_encoder_training import train_bi_encoder
from cdcoref.training.cross_encoder_training import load_contexts, run_options, train_contexts
from cdcoref.training.data import TrainingData
from cdcoref.training.detector import fit_detector
from cdcoref.training.sources import check_weights, with_parsed_documents
from cdcoref.training.styles import tune_styles
from cdcoref.training.training_config import TrainingConfig
from cdcoref.training.tuning import tune, weigh
from cdcoref.training.vector_training import fit_vectors
from cdlm.files import replaced_file
from cdlm.printing import as_lines
from cdlm.quantization import dequantize, quantize
from cdlm.runs import RUN_FILE, Evaluation, Run, RunFolder, Say, digest, say_on_stderr
from cdlm.starting_encoders import encoder_folder

CONTEXTS, VECTORS, DETECTOR = "contexts", "vectors", "detector"
"""What is trained after the run, as progress calls it; the first of them in a folder of its own, within that of the
run, until the model is written again."""
Tuned = tuple[CorefConfig, Mapping[str, KindScores]]
"""The settings that were chosen on dev, and the resulting scores."""


def train(
    config: TrainingConfig,
    train_corpus: Corpora,
    dev_corpus: Corpora,
    output: str | Path,
    *,
    resume: bool = False,
    device: str | None = None,
    tracker: str | None = None,
    say: Say = say_on_stderr,
) -> CorefModel:
    """Fine-tune an encoder and its heads, in one process or several, and write and return the model of the best epoch.

    `train_corpus`, `dev_corpus`: As :func:`cdcoref.corpora.annotated_corpora` takes them. On the second only the epoch
        and the thresholds are chosen.
    `output`, `resume`, `device`, `tracker`, `say`: See :class:`cdlm.runs.Run`.

    An `InputError` if a corpus has nothing to learn from or to tune on, or `output` holds another model or run.
    """
    output, roles = Path(output), config.corpora
    learnt, dev = ([p.of_kind(config.kind) for p in annotated_corpora(c)] for c in (train_corpus, dev_corpus))
    data = digest((*_contents(learnt), None, *_contents(dev)))
    run = Run(output, config.run, config, data=data, resume=resume, device=device, tracker=tracker, say=say)
    _check_corpora(config, learnt)
    for mention in (m for part in (*learnt, *dev) for m in part.corpus.mentions if m.kind is None):
        raise InputError(
            f"a mention of {mention.document!r} has no kind; state the kind of each in the file, or that of all with "
            "--kind event or --kind entity"
        )
    for kind in config.kinds:
        for parts in (roles.to_tune(dev), roles.to_choose_epoch(dev)):
            if not any(m.kind == kind for part in parts for m in part.corpus.mentions):
                raise InputError(
                    f"the dev corpus has no {kind} mentions to tune thresholds on; train on the other kind"
                )
    learnt, dev = (with_parsed_documents(parts, run.say) for parts in (learnt, dev))
    if not run.finished:
        _train_encoder(run, config, learnt, roles.to_choose_epoch(dev))
    if config.model.contexts.rank:
        fit_contexts(config, learnt, dev, output, data=data, device=device, tracker=tracker, say=run.say)
    with run.first_process_first():
        model = CorefModel.from_pretrained(output, unfinished=True)
        if run.precision == "bf16" and not (config.int8 and model.device.type == "cpu"):
            model.inference_dtype = torch.bfloat16
        fit_heads(model, config, learnt, dev, output, say=run.say)
        _record_origin(config, output)
    return CorefModel.from_pretrained(output)


def _record_origin(config: TrainingConfig, output: Path) -> None:
    """Add to the record of a run what else its weights follow from: versions of the programs, and the teacher."""
    record = json.loads((output / RUN_FILE).read_text(encoding="utf-8"))
    if "versions" in record:
        return
    record["versions"] = {name: version(name) for name in ("cdcoref", "numpy", "torch")}
    if teacher := config.bi_encoder.teacher:
        fingerprint = model_fingerprint(CorefModel.from_pretrained(teacher), with_precision=False)
        record["teacher"] = {"name": teacher, "fingerprint": fingerprint}
    with replaced_file(output / RUN_FILE) as target:
        target.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _contents(parts: Sequence[AnnotatedCorpus]) -> Iterator[object]:
    """What training reads of corpora; a run can be resumed only with the same."""
    for part in parts:
        yield part.info.name
        for d in part.corpus.documents:
            annotated = None if d.annotated is None else sorted(d.annotated)
            yield d.id, d.tokens, d.sentences, d.topic, d.subtopic, sorted(d.hidden), annotated
        for m in part.corpus.mentions:
            yield m.document, m.tokens, m.kind, m.cluster


def _check_corpora(config: TrainingConfig, learnt: Sequence[AnnotatedCorpus]) -> None:
    """Refuse settings for corpora that are not trained on, and those that leave nothing to train on."""
    for setting, weights in config.corpus_weights.items():
        check_weights(weights, learnt, setting)
    if config.model.contexts.rank and not config.model.vectors.layers:
        raise InputError("model.contexts needs a bi-encoder; set model.vectors.layers, or model.contexts.rank to 0")
    vectors, names = config.model.vectors, {part.info.name for part in learnt}
    learning = vectors.layers and vectors.learnt and any(UNSEEN in own for own in vectors.learnt_shares.values())
    if learning and not names.intersection(config.vectors.unseen):
        raise InputError(
            "model.vectors.learnt_shares has networks that learn from texts that the encoder does not know, but "
            f"vectors.unseen names none of the training corpora ({', '.join(sorted(names))})"
        )


def _train_encoder(
    run: Run, config: TrainingConfig, learnt: Sequence[AnnotatedCorpus], dev: Sequence[AnnotatedCorpus]
) -> None:
    """Train the encoder, with the pair scorer if the model has one, or else to read documents alone."""
    with encoder_folder(config.encoder) as encoder:
        alone = replace(config.model, vectors=VectorOptions(), detector_width=0, contexts=ContextOptions())
        model = CorefModel.from_encoder(encoder, alone)
    unfinished = config.int8 or bool(_heads_to_fit(model, config, learnt))
    learnt = config.corpora.for_encoder(learnt)

    def save(model: CorefModel, folder: Path, epoch: float, scores: Mapping[str, KindScores]) -> None:
        model.save_pretrained(folder, _card(model, config, scores, epoch, learnt, dev), unfinished=unfinished)

    if not config.model.scorer_width:
        if config.model.contexts.rank:
            check_contexts(model.encoder.config, config.contexts.lengths(config.model.contexts))
        train_bi_encoder(
            run, model, learnt, dev, config.bi_encoder, seed=config.run.seed, save=partial(save, scores={})
        )
        return
    if run.precision == "bf16":
        model.inference_dtype = torch.bfloat16
    data = TrainingData(model, learnt, config.sampling, config.run.seed, config.run.accumulation * run.processes)
    for note in data.notes:
        run.say(note)
    parameters = sum(p.numel() for p in model.parameters()) / 1e6
    run.say(f"{len(data.pairs)} pairs, {data.steps} steps an epoch; {parameters:.1f}M parameters")

    evaluate = partial(evaluation, dev=dev, config=config, say=run.say)

    def save_tuned(model: CorefModel, folder: Path, evaluation: Evaluation[Tuned], epoch: float) -> None:
        training = model.settings
        model.settings, scores = evaluation.chosen
        save(model, folder, epoch, scores)
        model.settings = training

    run.train(model, data, loss=lambda model, batch: model(batch), evaluate=evaluate, save=save_tuned)


def fit_contexts(
    config: TrainingConfig,
    learnt: Sequence[AnnotatedCorpus],
    dev: Sequence[AnnotatedCorpus],
    output: Path,
    *,
    data: str | None = None,
    device: str | None = None,
    tracker: str | None = None,
    say: Say = say_on_stderr,
) -> None:
    """Train the model's cross-encoder in a folder within that of the run, if need be; :func:`fit_heads` adds it."""
    folder = RunFolder(output / CONTEXTS)
    model = CorefModel.from_pretrained(output, unfinished=True)
    if folder.finished or model.context_scorer is not None:
        return
    begun, options = folder.checkpoints.is_dir(), run_options(config.contexts, config.run)
    run = Run(folder.output, options, config, data=data, resume=begun, device=device, tracker=tracker, say=say)
    with run.first_process_first():  # all processes have looked at the folder before the first one writes to it
        run.say("training the cross-encoder of upper layers")
    if run.precision == "bf16":
        model.inference_dtype = torch.bfloat16
    _round(model, config)
    model.settings = replace(model.settings, contexts=config.contexts.lengths(config.model.contexts))
    roles = config.corpora
    train_contexts(
        run,
        model.to(run.device),
        roles.for_contexts(learnt),
        roles.to_choose_epoch(dev),
        config.contexts,
        attention_dropout=options.attention_dropout,
        seed=options.seed,
    )


def _heads_to_fit(model: CorefModel, config: TrainingConfig, learnt: Sequence[AnnotatedCorpus]) -> tuple[str, ...]:
    """What the model is to have and has not: `CONTEXTS`, `VECTORS`, `DETECTOR`."""
    heads = {
        CONTEXTS: config.model.contexts.rank and model.context_scorer is None,
        VECTORS: config.model.vectors.layers and model.vector_scorer is None,
        DETECTOR: config.model.detector_width and model.detector is None and any(p.info.exhaustive for p in learnt),
    }
    return tuple(name for name, pending in heads.items() if pending)


def fit_heads(
    model: CorefModel,
    config: TrainingConfig,
    learnt: Sequence[AnnotatedCorpus],
    dev: Sequence[AnnotatedCorpus],
    output: Path,
    *,
    say: Say = say_on_stderr,
) -> None:
    """Fit the heads that the model lacks, after :func:`fit_contexts`; then tune it, and write it."""
    record = json.loads((output / RUN_FILE).read_text(encoding="utf-8"))
    heads = _heads_to_fit(model, config, learnt)
    rounding = config.int8 and not record.get("int8", False)
    if not heads and not rounding:
        return
    fitted = [name for name in heads if name != CONTEXTS]
    say(f"fitting heads on the trained encoder: {' and '.join(fitted) or 'none'}")
    if CONTEXTS in heads:
        model.add_context_scorer(config.model.contexts)
        load_contexts(model, output / CONTEXTS)
        own = json.loads((output / CONTEXTS / RUN_FILE).read_text(encoding="utf-8"))
        record[CONTEXTS] = {name: own[name] for name in ("best_epoch", "dev", "precision")}
    _round(model, config)
    # The weights are rounded anyway, and nothing else is computed with them meanwhile.
    in_int8 = config.int8 and model.device.type == "cpu" and model.inference_dtype == torch.float32
    model.settings = replace(model.settings, fitted_in_int8=in_int8)
    with model.reading_in_int8(in_int8), model.each_sequence_read_once(torch.float16):
        roles = config.corpora
        if VECTORS in heads:
            fit_vectors(
                model, roles.for_heads(learnt), config.model.vectors, config.vectors, seed=config.run.seed, say=say
            )
            _round(model, config, heads_only=True)
        if VECTORS in heads or CONTEXTS in heads:
            model.settings = replace(model.settings, vectors=weigh(model, roles.to_weigh(dev)))
        if DETECTOR in heads:
            model.settings = replace(model.settings, detector_width=config.model.detector_width)
            fit_detector(
                model, roles.for_detector(learnt), config.model.detector, config.detector, seed=config.run.seed, say=say
            )
            _round(model, config, heads_only=True)
            model.settings = tune_styles(model, roles.to_tune_detector(dev))
        tuned = roles.to_tune(dev)
        model.settings, scores = tune(model, tuned, kinds=config.kinds, progress=as_lines(say))
        for kind, values in scores.items():
            say(f"{kind} CoNLL F1 {100 * values.conll_f1:.1f} with {' and '.join(heads) or 'rounded weights'}")
    record["configuration"] = config.to_dict()
    record["dev"] = {kind: asdict(values) for kind, values in scores.items()}
    record["int8"] = config.int8
    card = _card(model, config, scores, record["best_epoch"], learnt, dev)
    with RunFolder(output).replaced_model() as target:
        model.save_pretrained(target / "model", card, int8=config.int8)
        for path in (target / "model").iterdir():
            path.replace(target / path.name)
        (target / "model").rmdir()
        (target / RUN_FILE).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    # The model has the cross-encoder now; the logs of its training remain.
    logs = RunFolder(output / CONTEXTS).logs
    if logs.is_dir():
        RunFolder(output).logs.mkdir(exist_ok=True)
        logs.replace(RunFolder(output).logs / CONTEXTS)
    shutil.rmtree(output / CONTEXTS, ignore_errors=True)
    say(f"written to {output} with {' and '.join(heads) or 'rounded weights'}")


def _round(model: CorefModel, config: TrainingConfig, *, heads_only: bool = False) -> None:
    """Round the weights, or those of the heads, to what is stored, if they are stored in 8 bits."""
    if config.int8:
        kept = {n: w for n, w in model.state_dict().items() if not (heads_only and n.startswith("encoder."))}
        model.load_state_dict(dequantize(quantize(kept)), strict=not heads_only)


def _card(
    model: CorefModel,
    config: TrainingConfig,
    scores: Mapping[str, KindScores],
    epoch: float,
    learnt: Sequence[AnnotatedCorpus],
    dev: Sequence[AnnotatedCorpus],
) -> str:
    known = tuple(dict.fromkeys(part.info.name for part in learnt if part.info.source))
    return model_card(model, config.to_dict(), scores, epoch, licences([*learnt, *dev]), {"datasets": known})


def evaluation(model: CorefModel, dev: Corpora, config: TrainingConfig, *, say: Say) -> Evaluation[Tuned]:
    """Tune thresholds on dev and score it; the mean CoNLL F1 of the kinds decides which epoch is best."""
    tuned, scores = tune(model, dev, kinds=config.kinds, progress=as_lines(say))
    metrics = {f"{kind}_conll_f1": s.conll_f1 for kind, s in scores.items()}
    metrics |= {f"{kind}_detection_f1": s.detection[2] for kind, s in scores.items() if s.detection is not None}
    metrics["conll_f1"] = sum(s.conll_f1 for s in scores.values()) / len(scores)
    summary = ", ".join(f"{name.replace('_', ' ')} {100 * value:.1f}" for name, value in metrics.items())
    record: dict[str, Any] = {kind: asdict(s) for kind, s in scores.items()}
    return Evaluation(metrics["conll_f1"], summary, metrics, record, (tuned, scores))
