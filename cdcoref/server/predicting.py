"""Predictions for programs: texts in, the JSON of a prediction out; nothing is stored."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.errors import InputError
from cdcoref.server.server_options import ServerOptions

if TYPE_CHECKING:
    from cdcoref.predict import Predictor


class BusyError(InputError):
    """Another prediction is being made."""


class PredictingModel:
    """The collection's model, loaded for the first prediction; one is made at a time."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._loaded: tuple[str, Predictor] | None = None

    def predict(self, model: str, texts: Mapping[str, str], kind: str) -> bytes:
        """The prediction of a model for texts by id, as ``cdcoref predict -o FILE.json`` writes it."""
        from cdcoref.predict import load
        from cdcoref.views import write_result

        if not self._lock.acquire(blocking=False):
            raise BusyError("another prediction is being made; try again when it has finished")
        try:
            if self._loaded is None or self._loaded[0] != model:
                self._loaded = model, load(model, device=self._options.device, precision=self._options.precision)
            predictor = self._loaded[1]
            prediction = predictor.predict(texts, kind=kind, batch_tokens=self._options.batch_tokens)
            with tempfile.TemporaryDirectory(prefix="cdcoref-predict-") as folder:
                path = Path(folder) / "prediction.json"
                write_result(prediction, path)
                return path.read_bytes()
        finally:
            self._lock.release()
