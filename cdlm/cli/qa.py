"""``cdlm qa train | predict | evaluate``: the command line of multi-hop question answering in :mod:`cdlm.tasks`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdlm import training_options as options
from cdlm.command_line import Group, add_command
from cdlm.errors import InputError
from cdlm.files import check_writable
from cdlm.printing import say

if TYPE_CHECKING:
    from cdlm.tasks import Prediction, Question

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Answer multi-hop questions over several paragraphs (HotpotQA)."
)
QuestionsArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="Questions with their paragraphs, in HotpotQA's JSON.")
]


def train(
    output: options.OutputModelOption,
    train_file: Annotated[
        Path, typer.Option("--train", metavar="FILE", help="Training questions, in HotpotQA's JSON.")
    ],
    dev_file: Annotated[Path, typer.Option("--dev", metavar="FILE", help="Questions on which to choose the epoch.")],
    config: options.ConfigOption = None,
    preset: options.PresetOption = "small",
    encoder: options.EncoderOption = None,
    settings: options.SetOption = None,
    log: options.LogOption = None,
    device: options.DeviceOption = None,
    resume: options.ResumeOption = False,
) -> None:
    """Train a model on questions with answers and supporting facts.

    Training questions whose answer is not in their paragraphs are skipped and counted.
    """
    from cdlm.tasks import QA_PRESETS, read_questions, train_reader

    named = {"encoder": encoder}
    training = options.configured(QA_PRESETS[preset], config, settings, named)
    train_questions = read_questions(train_file, answered=True)
    dev_questions = read_questions(dev_file, answered=True, unanswerable="keep")
    for path, read in ((train_file, train_questions), (dev_file, dev_questions)):
        for note in read.notes:
            say("cdlm", f"note: {path}: {note}")
    with options.resumable(output):
        train_reader(
            training,
            train_questions.questions,
            dev_questions.questions,
            output,
            resume=resume,
            device=device,
            tracker=log,
        )


def predict(
    file: QuestionsArgument,
    model: options.ModelOption,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write predictions in the official format.")
    ] = None,
    precision: options.InferencePrecisionOption = "auto",
    device: options.DeviceOption = None,
) -> None:
    """Answer questions and give the supporting sentences."""
    from cdlm.tasks import read_questions, write_predictions

    if output is not None:
        check_writable(output)
    questions = read_questions(file)
    predictions = _predict(model, questions.questions, precision, device)
    if output is not None:
        write_predictions(predictions, output)
        return
    for question in questions.questions:
        prediction = predictions[question.id]
        facts = "; ".join(f"{title}, sentence {number}" for title, number in prediction.facts or ())
        print(f"{question.id}\t{prediction.answer}\t{facts}")


def evaluate(
    file: QuestionsArgument,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Trained model: a folder or a hub name.")
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option("--predictions", metavar="FILE", help="Predictions of any system, in the official format."),
    ] = None,
    precision: options.InferencePrecisionOption = "auto",
    device: options.DeviceOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Score a model or a prediction file with HotpotQA's official metrics."""
    from cdlm.tasks import qa_scores, read_predictions, read_questions

    if (model is None) == (predictions is None):
        raise InputError("give either --model or --predictions")
    questions = read_questions(file, answered=True, unanswerable="keep").questions
    answers = read_predictions(predictions) if predictions else _predict(str(model), questions, precision, device)
    missing = sum(1 for question in questions if question.id not in answers)
    if missing:
        say("cdlm", f"note: no prediction for {missing} of {len(questions)} questions, which count as wrong")
    scores = qa_scores(questions, answers)
    if as_json:
        print(json.dumps(scores, indent=2))
        return
    print(f"in percent, number of questions: {len(questions)}")
    print(f"{'':18}{'EM':>7}{'F1':>7}{'prec':>7}{'recall':>7}")
    for part, words in (("", "answer"), ("sp_", "supporting facts"), ("joint_", "joint")):
        values = "".join(f"{100 * scores[part + name]:7.1f}" for name in ("em", "f1", "prec", "recall"))
        print(f"{words:18}{values}")


def _predict(name: str, questions: tuple[Question, ...], precision: str, device: str | None) -> dict[str, Prediction]:
    from cdlm.devices import resolve_device
    from cdlm.printing import StageProgress
    from cdlm.tasks import QAModel, predict_answers

    model = QAModel.from_pretrained(name).to(resolve_device(device))
    with StageProgress("cdlm") as shown:
        answers = predict_answers(model, questions, precision=precision, progress=shown.update)
    if answers.cut:
        say("cdlm", f"note: cut {answers.cut} of {len(questions)} questions to {model.settings.max_length} tokens")
    return answers.predictions


add_command(app, train, examples=("cdlm qa train --train train.json --dev dev.json -o my-reader",))
add_command(app, predict, examples=("cdlm qa predict questions.json --model my-reader -o answers.json",))
add_command(
    app,
    evaluate,
    examples=("cdlm qa evaluate dev.json --model my-reader", "cdlm qa evaluate dev.json --predictions answers.json"),
)
