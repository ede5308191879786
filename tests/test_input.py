"""Bad input is refused before any work, in a sentence that names the culprit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import thresher as th
from support import data

X, LABELS = data.classes(30, 3)
_, TARGET = data.regression(30, 3)

FACES: dict[str, tuple[Callable[..., th.Path], np.ndarray]] = {
    "svm": (th.svm_path, LABELS),
    "lad": (th.lad_path, TARGET),
    "quantile": (th.quantile_path, TARGET),
    "svr": (th.svr_path, TARGET),
}

faces = pytest.mark.parametrize("face", list(FACES))


def no_work(*_: object) -> None:
    raise AssertionError("a point was solved before the input was refused")


def refused(face: str, match: str, **bad: Any) -> str:
    """Call a face with one thing wrong; give the sentence."""
    path, y = FACES[face]
    arguments = {"X": X, "y": y, "C": [0.1, 1.0], "callback": no_work, **bad}
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        path(arguments.pop("X"), arguments.pop("y"), arguments.pop("C"), **arguments)
    return str(caught.value)


def changed(values: np.ndarray, place: tuple[int, ...], value: float) -> np.ndarray:
    values = values.copy()
    values[place] = value
    return values


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, np.float32, sparse.csr_matrix])
@faces
def test_not_finite_names_the_column(face: str, storage: Callable, value: float) -> None:
    refused(face, r"column.*\b2\b", X=storage(changed(X, (7, 2), value)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("face", ["lad", "quantile", "svr"])
def test_not_finite_target(face: str, value: float) -> None:
    refused(face, r"\by\b", y=changed(TARGET, (3,), value))


def test_one_class() -> None:
    refused("svm", r"(?i)class", y=np.ones(30))


def test_three_classes() -> None:
    refused("svm", r"(?i)classes", y=np.arange(30) % 3)


@pytest.mark.parametrize("y", [np.array(["a"] * 30), np.array([None] * 30), np.ones(30) * 1j])
@pytest.mark.parametrize("face", ["lad", "quantile", "svr"])
def test_target_is_not_numbers(face: str, y: np.ndarray) -> None:
    refused(face, r"\by\b", y=y)


@pytest.mark.parametrize(
    "bad", [X[:, 0], X[None], X * 1j, X.astype(str), np.full((30, 3), "a", object), "rows", None]
)
@faces
def test_not_a_table_of_numbers(face: str, bad: Any) -> None:
    refused(face, r"\bX\b", X=bad)


@pytest.mark.parametrize("bad", [np.empty((0, 3)), np.empty((30, 0))])
@faces
def test_empty(face: str, bad: np.ndarray) -> None:
    refused(face, r"(?i)empty|no rows|no columns|at least", X=bad, y=FACES[face][1][: len(bad)])


@faces
def test_lengths_differ(face: str) -> None:
    sentence = refused(face, r"\by\b", y=FACES[face][1][:-1])
    assert "30" in sentence
    assert "29" in sentence


@faces
def test_target_is_not_a_column(face: str) -> None:
    refused(face, r"\by\b", y=np.column_stack([FACES[face][1]] * 2))


@pytest.mark.parametrize(
    "weight",
    [
        changed(np.ones(30), (4,), -1.0),
        changed(np.ones(30), (4,), np.nan),
        changed(np.ones(30), (4,), np.inf),
        np.ones(29),
        np.zeros(30),
        np.array(["heavy"] * 30),
    ],
)
@faces
def test_weights(face: str, weight: np.ndarray) -> None:
    refused(face, "weight", sample_weight=weight)


def test_weights_that_leave_one_class() -> None:
    refused("svm", r"(?i)class", sample_weight=(LABELS > 0).astype(float))


@pytest.mark.parametrize(
    "C", [0.0, -1.0, np.nan, np.inf, [0.1, 1.0, -1.0], [0.1, np.nan], [], [[0.1]], "large"]
)
@faces
def test_C(face: str, C: Any) -> None:
    refused(face, r"\bC\b", C=C)


@pytest.mark.parametrize("quantile", [0.0, 1.0, -0.5, 2.0, np.nan, "median"])
def test_quantile(quantile: Any) -> None:
    refused("quantile", "quantile", quantile=quantile)


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, np.inf, "small"])
def test_epsilon(epsilon: Any) -> None:
    refused("svr", "epsilon", epsilon=epsilon)


@pytest.mark.parametrize("name", ["rule", "solver", "intercept"])
@faces
def test_unknown_name_is_answered_with_the_known(face: str, name: str) -> None:
    known = {"rule": "dvi", "solver": "newton", "intercept": "penalised"}[name]
    sentence = refused(face, name, **{name: "fastest"})
    assert known in sentence
    assert "fastest" in sentence


@pytest.mark.parametrize("name", ["rule", "solver", "intercept"])
@faces
def test_name_of_the_wrong_type(face: str, name: str) -> None:
    refused(face, name, **{name: 3})


@pytest.mark.parametrize("tol", [0.0, -1e-6, np.nan, "tight"])
@faces
def test_tolerance(face: str, tol: Any) -> None:
    refused(face, "tol", tol=tol)


@pytest.mark.parametrize("rule", ["ssnsv", "essnsv"])
@pytest.mark.parametrize("face", ["lad", "quantile"])
def test_rule_for_the_svm_only(face: str, rule: str) -> None:
    assert rule in refused(face, r"(?i)svm", rule=rule).lower()


# --- the general problem


def general(**bad: Any) -> th.Problem:
    given = {"rows": X, "offsets": np.ones(30), "lower": np.zeros(30), "upper": np.ones(30)}
    given.update(bad)
    return th.Problem(given.pop("rows"), given.pop("offsets"), **given)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("offsets", np.ones(29)),
        ("offsets", np.full(30, np.nan)),
        ("lower", np.full(30, 0.5)),
        ("lower", np.full(30, -np.inf)),
        ("lower", np.zeros(29)),
        ("upper", np.full(30, -0.5)),
        ("upper", np.full(30, np.nan)),
        ("scale", np.ones(29)),
        ("scale", np.full(30, np.nan)),
        ("intercept", "sometimes"),
    ],
)
def test_general_problem(name: str, value: Any) -> None:
    assert general().size == 30
    with pytest.raises((ValueError, TypeError), match=name):
        general(**{name: value})


def test_pair_outside_the_box_is_no_certificate() -> None:
    """A theta outside its box would prove anything."""
    problem = general()
    problem.certify(np.zeros(3), np.full(30, 0.5), 1.0)
    with pytest.raises(ValueError, match="theta"):
        problem.certify(np.zeros(3), np.full(30, 1.5), 1.0)


@pytest.mark.parametrize(("w", "theta"), [(np.zeros(2), np.zeros(30)), (np.zeros(3), np.zeros(29))])
def test_pair_of_the_wrong_size(w: np.ndarray, theta: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"\bw\b|theta"):
        general().certify(w, theta, 1.0)


def test_input_is_not_changed() -> None:
    copies = X.copy(), LABELS.copy(), TARGET.copy()
    for path, y in FACES.values():
        path(X, y, [0.1, 1.0])
    for kept, given in zip(copies, (X, LABELS, TARGET), strict=True):
        np.testing.assert_array_equal(kept, given)


@pytest.mark.parametrize(
    ("options", "essential"),
    [
        ({"callback": "x"}, "callback"),
        ({"start": "x"}, "start"),
        ({"rule": th.rules.Dvi}, "rule"),
        ({"solver": th.solvers.Newton}, "solver"),
        ({"tol": [1e-6, 1e-3]}, "tol"),
    ],
)
def test_options_are_checked_before_work(options: dict[str, object], essential: str) -> None:
    with pytest.raises((TypeError, ValueError), match=essential):
        th.svm_path([[1.0], [-1.0]], [0, 1], [1.0], **options)  # type: ignore[arg-type]


def test_dates_as_labels_are_two_classes() -> None:
    dates = np.array(["2026-01-01", "2026-01-02"] * 10, dtype="datetime64[ns]")
    X = np.where(np.arange(20) % 2, 1.0, -1.0)[:, None]
    assert th.svm_path(X, dates, [0.001]).coef[0, 0] > 0


@pytest.mark.parametrize(
    ("y", "essential"),
    [
        (np.array(["2026-01-01"] * 3, dtype="datetime64[ns]"), "y must be real numbers"),
        (["1.5", "2.5", "3.5"], "y must be real numbers"),
        (np.array(["1.5", "2.5", "3.5"], dtype=object), "y must be real numbers"),
        ([1e200, 1.0, 2.0], "y holds values beyond"),
        (np.ma.masked_array([1.0, 2.0, 3.0], mask=[True, False, False]), "masked"),
        ([[1.0], [2.0, 3.0], [4.0]], "unequal length"),
    ],
)
def test_targets_that_are_not_numbers(y: object, essential: str) -> None:
    with pytest.raises((TypeError, ValueError), match=essential):
        th.lad_path([[1.0], [2.0], [3.0]], y, [1.0])  # type: ignore[arg-type]


def test_missing_object_labels_are_named() -> None:
    with pytest.raises(ValueError, match="y holds NaN"):
        th.svm_path([[1.0], [2.0], [3.0]], np.array(["a", "b", float("nan")], dtype=object), [1.0])


def test_the_wrong_array_is_named() -> None:
    with pytest.raises(ValueError, match="offsets has 61"):
        th.Problem(np.ones((60, 1)), np.ones(61), np.zeros(60), np.ones(60))


def test_values_too_small_to_square() -> None:
    with pytest.raises(ValueError, match="too small"):
        th.Problem([[1.0], [1e-170]], 1.0, 0.0, 1.0)
