"""What preparation does to rejection rates: columns and targets scaled in the usual ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from thresher.datasets.record import Dataset
from thresher.paper.records import Rejection, Scaling
from thresher.paper.reference import Reference
from thresher.paper.rejection import rejection
from thresher.rows.base import Floats
from thresher.status import Status


def _as_is(X: Floats) -> Floats:
    return X


def _standardised(X: Floats) -> Floats:
    scaled: Floats = (X - X.mean(axis=0)) / X.std(axis=0)
    return scaled


def _to_unit(X: Floats) -> Floats:
    scaled: Floats = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return scaled


def _to_symmetric(X: Floats) -> Floats:
    scaled: Floats = 2.0 * _to_unit(X) - 1.0
    return scaled


def _to_unit_rows(X: Floats) -> Floats:
    lengths = np.sqrt(np.square(X).sum(axis=1, keepdims=True))
    scaled: Floats = X / np.where(lengths > 0.0, lengths, 1.0)
    return scaled


COLUMNS: Final[dict[str, Callable[[Floats], Floats]]] = {
    "as is": _as_is,
    "standardised": _standardised,
    "to [0, 1]": _to_unit,
    "to [−1, 1]": _to_symmetric,
    "rows of length 1": _to_unit_rows,
}
TARGETS: Final[dict[str, Callable[[Floats], Floats]]] = {"as is": _as_is, "standardised": _standardised}


def scalings(data: Dataset, C: Floats) -> list[Scaling]:
    """Return what DVI proves with each scaling of columns, and of targets in a regression."""
    varying = data.X[:, data.X.max(axis=0) > data.X.min(axis=0)]
    targets = TARGETS if data.loss == "absolute" else {"as is": _as_is}
    found = []
    for columns, scale in COLUMNS.items():
        X = np.ascontiguousarray(scale(varying))
        for name, change in targets.items():
            reference = Reference.of(replace(data, X=X, y=change(data.y)).problem(), C)
            found.append(_record(data.name, columns, name, rejection(reference, "dvi"), reference))
    return found


def _record(name: str, columns: str, targets: str, found: Rejection, reference: Reference) -> Scaling:
    closed = reference.path.status.count(Status.CLOSED_FORM)
    return Scaling(name, columns, targets, float(np.mean(found.lower)), float(np.mean(found.upper)), closed)
