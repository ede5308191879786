"""Saved models: JSON with a schema and a checksum. Nothing in it is executed when it is read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.cli.data import Floats
from thresher.cli.errors import DataError, UseError, reason

SCHEMA = "thresher model 1"


@dataclass(frozen=True, eq=False)
class Model:
    """Coefficients on the scale of the data, and where they come from.

    One row of ``coef`` and one intercept for a regression or two classes, else one for every class.
    """

    loss: str
    parameters: dict[str, float]
    C: float
    intercept_kind: str
    tol: float
    gap: float
    met: bool
    rows: int
    target: str | None
    features: list[str]
    classes: list[Any] | None
    coef: list[list[float]]
    intercept: list[float]
    thresher: str

    def scores(self, X: Any) -> Floats:
        """Return <x, w> + b for every row and every class."""
        products = X @ np.array(self.coef).T + np.array(self.intercept)
        return np.asarray(products, dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return labels, or numbers in a regression."""
        scores = self.scores(X)
        if self.classes is None:
            return np.asarray(scores[:, 0])
        two = len(self.classes) == 2
        winners: NDArray[np.int64] = (scores[:, 0] > 0.0).astype(np.int64) if two else scores.argmax(axis=1)
        labels: NDArray[Any] = np.array(self.classes)
        return labels[winners]

    def save(self, file: Path) -> None:
        """Write the model."""
        content = {"schema": SCHEMA, **asdict(self)}
        file.write_text(json.dumps({**content, "checksum": _checksum(content)}, indent=1) + "\n")

    @classmethod
    def load(cls, file: Path) -> Model:
        """Read a model, and refuse anything that is not exactly what was saved."""
        if not file.exists():
            raise UseError(f"{file}: there is no such file")
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"{file} cannot be read: {reason(error)}") from None
        except (ValueError, RecursionError):
            raise DataError(f"{file} is not a model that thresher saved, or it is damaged") from None
        if not isinstance(content, dict) or not str(content.get("schema")).startswith("thresher model"):
            raise DataError(f"{file} is not a model that thresher saved")
        if content["schema"] != SCHEMA:
            raise DataError(f"{file} has the schema {content['schema']!r}; this version reads {SCHEMA!r}")
        if content.pop("checksum", None) != _checksum(content):
            raise DataError(f"{file} is damaged: its checksum does not agree with its content")
        del content["schema"]
        return cls(**content)


def _checksum(content: dict[str, Any]) -> str:
    return blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()
