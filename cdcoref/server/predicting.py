"""Predictions for programs: texts in, the JSON of a prediction out; nothing is stored."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from cdcoref.errors import InputError, first_line
from cdcoref.server.server_options import ServerOptions

if TYPE_CHECKING:
    from cdcoref.predict import Predictor, Progress


class BusyError(InputError):
    """Another prediction is being made."""


class LeftError(Exception):
    """Nobody waits for the prediction any more."""


class PredictingModel:
    """The model that predicts, loaded for the first prediction; one is made at a time."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._loaded: tuple[str, Predictor] | None = None

    def predict(self, model: str, texts: Mapping[str, str], kind: str) -> str:
        """The prediction of a model for texts by id, as ``cdcoref predict -o FILE.json`` writes it."""
        self._begin()
        try:
            return self._predict(model, texts, kind, lambda stage, done, total: None)
        finally:
            self._lock.release()

    def stream(self, model: str, texts: Mapping[str, str], kind: str) -> Iterator[str]:
        """Lines of JSON: the progress as it is made, and in the end the prediction, or what went wrong."""
        self._begin()
        lines: SimpleQueue[str | None] = SimpleQueue()
        left = threading.Event()

        def work() -> None:
            latest = ""

            def progress(stage: str, done: int, total: int) -> None:
                nonlocal latest
                if left.is_set():
                    raise LeftError
                line = json.dumps({"stage": stage, "done": done, "total": total})
                if line != latest:
                    latest = line
                    lines.put(line)

            try:
                lines.put(f'{{"prediction": {self._predict(model, texts, kind, progress)}}}')
            except LeftError:
                pass
            except InputError as error:
                lines.put(json.dumps({"error": str(error)}))
            except Exception as error:  # which must reach those who wait
                logging.getLogger(__name__).exception("A prediction failed")
                lines.put(json.dumps({"error": f"an unexpected error ended this prediction ({first_line(error)})"}))
            finally:
                self._lock.release()
                lines.put(None)

        threading.Thread(target=work, name="prediction", daemon=True).start()
        return _until_left(lines, left.set)

    def _begin(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise BusyError("another prediction is being made; try again when it has finished")

    def _predict(self, model: str, texts: Mapping[str, str], kind: str, progress: Progress) -> str:
        from cdcoref.predict import load
        from cdcoref.views import json_text

        if self._loaded is None or self._loaded[0] != model:
            progress("loading the model", 0, 0)
            self._loaded = model, load(model, device=self._options.device, precision=self._options.precision)
        settings: dict[str, Any] = {"kind": kind, "batch_tokens": self._options.batch_tokens}
        return json_text(self._loaded[1].predict(texts, progress=progress, **settings))


def _until_left(lines: SimpleQueue[str | None], leave: Callable[[], None]) -> Iterator[str]:
    """The lines until there are no more; ends the work if nobody asks for the next one."""
    try:
        while (line := lines.get()) is not None:
            yield f"{line}\n"
    finally:
        leave()
