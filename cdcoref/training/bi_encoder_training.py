"""Training the bi-encoder by losses of pairs (contrastive, Khosla et al. 2020), antecedents (Lee et al. 2017), bounds
of mentions, and a teacher (Hinton et al. 2015), whose heads are discarded afterwards."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from sklearn.metrics import average_precision_score
from torch import Tensor, nn

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.model import CorefModel, KeptStates, ReadingBatch, real_pieces, words_of_layers
from cdcoref.training.bi_encoder_data import BOUNDS, BiEncoderBatch, BiEncoderData, BiEncoderTraining
from cdcoref.training.sources import read_words
from cdlm.encoder import CDLMModel
from cdlm.printing import as_lines
from cdlm.repeated_weights import share_projections
from cdlm.runs import Evaluation, Run
from cdlm.sequences import EncoderBatch
from cdlm.tokens import SpecialPieces

DIMENSION = 256
"""Width of the vectors that the discarded heads compare."""
NEVER = -1e4
"""A logit of what cannot be."""
CONTRASTIVE_WEIGHT, ANTECEDENTS_WEIGHT, BOUNDS_WEIGHT = 0.5, 0.3, 0.5
"""Weights of the losses beside that of pairs and that of distillation, which have the weight 1."""
TEMPERATURE = 0.07
"""Cosines are divided by it in the contrastive loss and in that of distillation."""
PAIRS = 2048
"""Pairs of a batch that count in the loss of pairs, at most, for each kind of mention."""


class BiEncoderLearner(nn.Module):
    """The encoder with the heads of the losses; where styles of annotation differ, one for each of the `corpora`."""

    def __init__(self, encoder: CDLMModel, corpora: int, frozen_layers: int) -> None:
        super().__init__()
        self.encoder = encoder
        self._frozen_layers = frozen_layers
        width = encoder.config.hidden_size
        encoder.embeddings.requires_grad_(frozen_layers == 0)
        for layer in list(encoder.encoder.layer)[:frozen_layers]:
            layer.requires_grad_(False)
        if frozen_layers and encoder.encoder.relative_attention_bias is not None:
            encoder.encoder.relative_attention_bias.requires_grad_(False)
        self._lower = KeptStates(torch.float16)
        self.mean = nn.ModuleList(nn.Linear(width, DIMENSION) for _ in KINDS)
        self.last = nn.ModuleList(nn.Linear(width, DIMENSION, bias=False) for _ in KINDS)
        self.compare = nn.ModuleList(
            nn.Sequential(nn.Linear(2 * DIMENSION + 1, 128), nn.GELU(), nn.Linear(128, 1)) for _ in KINDS
        )
        self.anaphor = nn.Linear(2 * width, 128)
        self.candidate = nn.Linear(2 * width, 128)
        self.distance = nn.Embedding(64, 32)
        self.refers = nn.Sequential(nn.Linear(3 * 128 + 32, 128), nn.GELU(), nn.Linear(128, 1))
        self.bounds = nn.Linear(width, corpora * len(KINDS) * BOUNDS)

    def words(self, inputs: ReadingBatch) -> Tensor:
        """Words in the last layer; what frozen layers say of a sequence is kept in fp16. *Shape:* (words, width)"""
        masks = inputs.attention_mask, inputs.global_attention_mask
        if not self._frozen_layers:
            return words_of_layers([self.encoder(inputs.input_ids, *masks).last_hidden_state], inputs)
        upper = self.encoder.upper_layers(self._frozen(inputs), *masks, self._frozen_layers)
        return words_of_layers([upper], inputs)

    def _frozen(self, inputs: ReadingBatch) -> Tensor:
        """The output of the last frozen layer. *Shape:* (sequences, length, width)"""
        new = [place for place, ids in enumerate(real_pieces(inputs)) if self._lower.get(ids) is None]
        if new:
            training = self.training
            self.eval()
            rows = inputs.input_ids[new], inputs.attention_mask[new], inputs.global_attention_mask[new]
            with torch.no_grad():
                self._lower.put(EncoderBatch(*rows), self.encoder.lower_layers(*rows, self._frozen_layers))
            self.train(training)
        kept = [self._lower.get(ids) for ids in real_pieces(inputs)]
        tables = [table.to(inputs.input_ids.device).float() for table in kept if table is not None]
        length = inputs.input_ids.shape[1]
        return torch.stack([nn.functional.pad(table, (0, 0, 0, length - len(table))) for table in tables])

    def forward(self, batch: BiEncoderBatch) -> Tensor:
        """The weighted sum of the losses. *Shape:* ()"""
        words = self.words(batch.inputs)
        mean, last = self.vectors(words, batch)
        loss = BOUNDS_WEIGHT * self._bounds_loss(words, batch)
        loss = loss + ANTECEDENTS_WEIGHT * self._antecedents_loss(torch.cat([mean, last], dim=1), batch)
        same, comparable = batch.relations()
        for kind in range(len(KINDS)):
            own = torch.nonzero((batch.kinds == kind) & ~batch.pronouns).squeeze(1)
            if len(own) < 2:
                continue
            inside = own[:, None], own[None]
            contrast = contrastive_loss(mean[own], same[inside], comparable[inside], TEMPERATURE)
            loss = loss + CONTRASTIVE_WEIGHT * contrast
            loss = loss + self._pairs_loss(kind, mean[own], last[own], same[inside], comparable[inside])
            if batch.targets.shape[1]:
                loss = loss + distillation_loss(mean[own], batch.targets[own], TEMPERATURE)
        return loss

    def vectors(self, words: Tensor, batch: BiEncoderBatch) -> tuple[Tensor, Tensor]:
        """The mean of every mention's words, and its last word. *Shape:* (mentions, width) each"""
        sums = words.new_zeros(len(batch.starts), words.shape[1])
        sums = sums.index_add(0, batch.mention_of_word, words[batch.words])
        sizes = torch.bincount(batch.mention_of_word, minlength=len(sums)).clamp(min=1)
        return sums / sizes[:, None], words[batch.lasts]

    def pair_logits(self, kind: int, mean: Tensor, last: Tensor, first: Tensor, second: Tensor) -> Tensor:
        """Logits of pairs of mentions of a kind. *Shape:* (pairs,)"""
        projected = self.mean[kind](mean) + self.last[kind](last)
        cosine = (nn.functional.normalize(mean, dim=1)[first] * nn.functional.normalize(mean, dim=1)[second]).sum(1)
        one, other = projected[first], projected[second]
        logits: Tensor = self.compare[kind](torch.cat([one * other, (one - other).abs(), cosine[:, None]], dim=1))
        return logits.squeeze(1)

    def _pairs_loss(self, kind: int, mean: Tensor, last: Tensor, same: Tensor, comparable: Tensor) -> Tensor:
        positive = torch.nonzero((same & comparable).triu(1))
        negative = torch.nonzero((~same & comparable).triu(1))
        quarter = PAIRS // 4
        positive = positive[torch.randperm(len(positive))[:quarter]]
        negative = negative[torch.randperm(len(negative))[: PAIRS - quarter]]
        if not len(positive) or not len(negative):
            return mean.new_zeros(())
        first, second = torch.cat([positive, negative]).unbind(dim=1)
        logits = self.pair_logits(kind, mean, last, first, second)
        labels = torch.cat([logits.new_ones(len(positive)), logits.new_zeros(len(negative))])
        losses = nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        return 0.5 * losses[: len(positive)].mean() + losses[len(positive) :].mean()

    def _antecedents_loss(self, vectors: Tensor, batch: BiEncoderBatch) -> Tensor:
        """Of every pronoun: the log probability of its right antecedents among the mentions near it."""
        number = torch.arange(len(vectors), device=vectors.device)
        near = (batch.documents[:, None] == batch.documents[None]) & (batch.kinds[:, None] == batch.kinds[None])
        place = batch.starts[:, None] - batch.starts[None]
        near = near & (number[:, None] != number[None]) & (place > -20) & (place < 150)
        near = near & ~(batch.pronouns[None] & (place <= 0))
        chosen = torch.nonzero(batch.pronouns & near.any(dim=1)).squeeze(1)
        if not len(chosen):
            return vectors.new_zeros(())
        chosen = chosen[torch.randperm(len(chosen), device=chosen.device)[:80]]
        rows, columns = torch.nonzero(near[chosen], as_tuple=True)
        one, other = self.anaphor(vectors)[chosen[rows]], self.candidate(vectors)[columns]
        far = self.distance(place[chosen[rows], columns].clamp(-20, 43) + 20)
        logits = self.refers(torch.cat([one * other, one, other, far], dim=1)).squeeze(1)
        table = logits.new_full((len(chosen), len(vectors)), NEVER)
        table = table.index_put((rows, columns), logits)
        right = (batch.clusters[chosen][:, None] == batch.clusters[None]) & near[chosen]
        none = ~right.any(dim=1)
        with_none = torch.cat([table.new_zeros(len(chosen), 1), table], dim=1)
        correct = torch.cat([none[:, None], right], dim=1)
        good = with_none.masked_fill(~correct, NEVER).logsumexp(dim=1)
        return (with_none.logsumexp(dim=1) - good).mean()

    def _bounds_loss(self, words: Tensor, batch: BiEncoderBatch) -> Tensor:
        """Where mentions begin and end, as the corpus of each word annotates them."""
        known = torch.nonzero(batch.corpus_of_word >= 0).squeeze(1)
        if not len(known):
            return words.new_zeros(())
        corpora = batch.corpus_of_word[known]
        logits = self.bounds(words[known]).unflatten(1, (-1, len(KINDS), BOUNDS))
        own = logits[torch.arange(len(known), device=words.device), corpora]
        losses = nn.functional.binary_cross_entropy_with_logits(own, batch.bounds[known], reduction="none")
        weights = batch.taught[corpora][:, :, None].to(losses.dtype).expand_as(losses)
        return (losses * weights).sum() / weights.sum().clamp(min=1)


def contrastive_loss(vectors: Tensor, same: Tensor, comparable: Tensor, temperature: float) -> Tensor:
    """Supervised contrastive loss on cosines (Khosla et al. 2020), the mean over mentions that have a coreferent one.

    `vectors`: *Shape:* (mentions, width)
    `same`, `comparable`: As :meth:`BiEncoderBatch.relations` returns them. *Shape:* (mentions, mentions)
    `temperature`: Cosines are divided by it.
    """
    unit = nn.functional.normalize(vectors.float(), dim=1)
    logits = (unit @ unit.T / temperature).masked_fill(~comparable, NEVER)
    positive = same & comparable
    chosen = positive.any(dim=1) & (comparable & ~same).any(dim=1)
    if not chosen.any():
        return vectors.new_zeros(())
    log = logits - logits.logsumexp(dim=1, keepdim=True)
    means = (log * positive).sum(dim=1) / positive.sum(dim=1).clamp(min=1)
    return -means[chosen].mean()


def distillation_loss(vectors: Tensor, targets: Tensor, temperature: float) -> Tensor:
    """KL divergence of each mention's softmax over cosines from a teacher's. *Shapes:* (mentions, any width)"""
    student, teacher = (_log_similarities(table, temperature) for table in (vectors, targets))
    return nn.functional.kl_div(student, teacher, log_target=True, reduction="batchmean")


def _log_similarities(vectors: Tensor, temperature: float) -> Tensor:
    """Logarithms of each mention's distribution over the others. *Shape:* (mentions, mentions)"""
    unit = nn.functional.normalize(vectors.float(), dim=1)
    logits = unit @ unit.T / temperature
    itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    return logits.masked_fill(itself, NEVER).log_softmax(dim=1)


def teacher_vectors(name: str, parts: Sequence[AnnotatedCorpus], run: Run) -> list[Tensor]:
    """What a teacher's last layer makes of the mentions of each corpus, fp16. *Shape:* (mentions, teacher's width)"""
    teacher = CorefModel.from_pretrained(name).to(run.device).eval()
    if not teacher.settings.vectors.layers:
        raise InputError(f"bi_encoder.teacher: the model {name} has no bi-encoder that could teach one")
    if run.precision == "bf16":
        teacher.inference_dtype = torch.bfloat16
    width = teacher.encoder.config.hidden_size
    vectors = []
    for part in parts:
        run.say(f"the teacher {name} reads {len(part.corpus.documents)} documents of {part.info.name}")
        words = read_words(teacher, part.corpus, progress=as_lines(run.say))
        vectors.append(words.mean[:, -width:])
    return vectors


def average_precisions(learner: BiEncoderLearner, data: BiEncoderData) -> dict[str, float]:
    """Average precision by kind of mention, without pronouns: the mean over batches of those of their pairs."""
    found: dict[str, list[float]] = defaultdict(list)
    for number in range(len(data)):
        batch = data[number].to(next(learner.parameters()).device)
        with torch.no_grad():
            mean, last = learner.vectors(learner.words(batch.inputs), batch)
            same, comparable = batch.relations()
            for kind, name in enumerate(KINDS):
                own = torch.nonzero((batch.kinds == kind) & ~batch.pronouns).squeeze(1)
                inside = own[:, None], own[None]
                first, second = torch.nonzero(comparable[inside].triu(1), as_tuple=True)
                labels = same[inside][first, second]
                if labels.any() and not labels.all():
                    logits = learner.pair_logits(kind, mean[own], last[own], first, second)
                    found[name].append(float(average_precision_score(labels.cpu().numpy(), logits.cpu().numpy())))
    return {name: sum(values) / len(values) for name, values in found.items()}


def train_bi_encoder(
    run: Run,
    model: CorefModel,
    learnt: Sequence[AnnotatedCorpus],
    dev: Sequence[AnnotatedCorpus],
    options: BiEncoderTraining,
    *,
    seed: int,
    save: Callable[[CorefModel, Path, float], None],
) -> None:
    """Train the encoder of a model; `save` writes the epoch with the best average precision on dev to a folder."""
    # The markers of a document start as the tokens that the encoder knows around a text.
    special, end = SpecialPieces.of(model.tokenizer), model.tokenizer.last_id
    table = model.encoder.embeddings.word_embeddings.weight
    with torch.no_grad():
        table[special.doc_start] = table[special.cls]
        table[special.doc_end] = table[special.cls if end is None else end]
    pad = model.encoder.config.pad_token_id
    targets = teacher_vectors(options.teacher, learnt, run) if options.teacher else ()
    data = BiEncoderData(model.tokenizer, pad, learnt, options, seed, targets)
    names = {part.info.name for part in dev}
    shares = {name: share for name, share in options.corpus_shares.items() if name in names}
    unseen = BiEncoderData(model.tokenizer, pad, dev, replace(options, corpus_shares=dict.fromkeys(shares, 1.0)), seed)
    learner = BiEncoderLearner(model.encoder, len(learnt), options.frozen_layers)
    run.say(f"{len(data)} batches an epoch; {options.frozen_layers} layers are frozen")

    def evaluate(learner: BiEncoderLearner) -> Evaluation[None]:
        metrics = average_precisions(learner, unseen)
        summary = ", ".join(f"{kind} average precision {100 * value:.1f}" for kind, value in metrics.items())
        mean = sum(metrics.values()) / max(1, len(metrics))
        return Evaluation(mean, summary or "has no pairs to choose the epoch by", metrics, metrics, None)

    def written(learner: BiEncoderLearner, folder: Path, evaluation: Evaluation[None], epoch: float) -> None:
        share_projections(model.encoder)  # sequences are shorter than the attention window
        save(model, folder, epoch)

    run.train(learner, data, loss=lambda learner, batch: learner(batch), evaluate=evaluate, save=written)
