"""Displays: what they draw is what the estimator found, where it was asked for."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

import thresher as th
from support import data

mpl.use("Agg")
GRID = np.geomspace(1e-3, 1.0, 7)


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def test_path_display_draws_the_path() -> None:
    X, y = data.classes(100, 3)
    path = th.svm_path(X, y, GRID[::-1], intercept="free")
    display = th.PathDisplay.from_path(path)
    for j, line in enumerate(display.lines_):
        np.testing.assert_array_equal(line.get_xdata(), GRID)
        np.testing.assert_array_equal(line.get_ydata(), path.coef[::-1, j])
    top, bottom = display.axes_
    assert top.get_xscale() == bottom.get_xscale() == "log"
    assert len(bottom.collections) == 2
    assert display.figure_ is top.figure
    assert path.plot().axes[0].get_title() == top.get_title()


@pytest.mark.parametrize(
    "estimator",
    [
        th.LinearSVC(intercept="penalised"),
        th.LinearSVC(C=5.0),
        th.LinearSVCCV(Cs=3),
        th.LADRegressor(fit_intercept=False),
    ],
    ids=str,
)
def test_from_estimator_solves_the_estimators_model(estimator: object) -> None:
    X, y = data.classes(100, 3)
    weight = np.random.default_rng(0).integers(1, 4, 100)
    kind = estimator.intercept if estimator.fit_intercept else "none"
    solve = th.lad_path if isinstance(estimator, th.LADRegressor) else th.svm_path
    path = solve(X, y, GRID, intercept=kind, sample_weight=weight)
    display = th.PathDisplay.from_estimator(estimator, X, y, sample_weight=weight, Cs=GRID)
    np.testing.assert_allclose(display.coef, path.coef, atol=1e-6)
    assert not hasattr(estimator, "coef_")
    assert th.PathDisplay.from_estimator(estimator, X, y, Cs=5).C.size == 5


def test_from_a_fitted_search() -> None:
    X, y = data.regression(100, 3)
    model = th.LADRegressorCV(Cs=GRID, cv=3).fit(X, y)
    display = th.PathDisplay.from_path(model.path_)
    np.testing.assert_array_equal(display.coef, model.path_.coef)


def test_names_of_features() -> None:
    X, y = data.classes(100, 3)
    frame = pandas.DataFrame(X, columns=["length", "width", "mass"])
    display = th.PathDisplay.from_estimator(th.LinearSVC(), frame, y, Cs=GRID)
    assert [text.get_text() for text in display.axes_[0].get_legend().get_texts()] == list(frame.columns)
    many = pandas.DataFrame(np.tile(X, 5)[:, :13]).rename(columns=str)
    display = th.PathDisplay.from_estimator(th.LinearSVC(), many, y, Cs=GRID)
    assert display.axes_[0].get_legend() is None


def test_one_of_several_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 120)]
    X = rng.normal(size=(120, 3))
    display = th.PathDisplay.from_estimator(th.LinearSVC(), X, y, target="b", Cs=GRID)
    np.testing.assert_allclose(display.coef, th.svm_path(X, y == "b", GRID, intercept="free").coef, atol=1e-6)
    with pytest.raises(ValueError, match=r"target must be one of the classes \['a', 'b', 'c'\], got None"):
        th.PathDisplay.from_estimator(th.LinearSVC(), X, y, Cs=GRID)
    with pytest.raises(ValueError, match="target='a' is for more than two classes; leave it out"):
        th.PathDisplay.from_estimator(th.LinearSVC(), X, y == "a", target="a", Cs=GRID)


def test_axes_of_the_users_own() -> None:
    X, y = data.classes(100, 3)
    path = th.svm_path(X, y, GRID)
    figure, axes = plt.subplots(1, 2)
    display = th.PathDisplay.from_path(path, axes, line_kw={"color": "red", "linewidth": 3.0})
    assert display.figure_ is figure
    assert {line.get_color() for line in display.lines_} == {"red"}
    with pytest.raises(ValueError, match="ax must be two axes"):
        th.PathDisplay.from_path(path, axes[0])


def test_cv_display_draws_mean_band_and_choice() -> None:
    X, y = data.classes(150, 3)
    model = th.LinearSVCCV(Cs=GRID[::-1], cv=4).fit(X, y)
    display = th.CVDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.line_.get_xdata(), GRID)
    np.testing.assert_allclose(display.line_.get_ydata(), model.scores_.mean(axis=0)[::-1])
    assert display.chosen_.get_xdata()[0] == model.C_
    corners = display.fill_between_.get_paths()[0].vertices
    error = model.scores_.std(axis=0, ddof=1) / 2.0
    assert corners[:, 1].max() == pytest.approx((model.scores_.mean(axis=0) + error).max())
    assert display.ax_.get_ylabel() == "accuracy"
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["mean of 4 folds", "± one standard error", f"C = {model.C_:.3g}"]


def test_cv_display_of_one_fold_has_no_band() -> None:
    X, y = data.regression(100, 3)
    cv = [(np.arange(50), np.arange(50, 100))]
    axes = plt.subplots()[1]
    model = th.LADRegressorCV(Cs=GRID, cv=cv, scoring="r2", refit=False).fit(X, y)
    display = th.CVDisplay.from_estimator(model, axes, line_kw={"color": "green"})
    assert display.fill_between_ is None
    assert display.ax_ is axes
    assert display.line_.get_color() == "green"
    assert display.ax_.get_ylabel() == "r2"
    assert th.CVDisplay.from_estimator(model, score_name="skill").ax_.get_ylabel() == "skill"


def test_misuse() -> None:
    with pytest.raises(TypeError, match="must be one of this package's CV classes, got LinearSVC"):
        th.CVDisplay.from_estimator(th.LinearSVC())
    with pytest.raises(NotFittedError):
        th.CVDisplay.from_estimator(th.LinearSVCCV())
    with pytest.raises(TypeError, match="estimator must be one of this package's, got SVC"):
        th.PathDisplay.from_estimator(SVC(), *data.classes(20, 2))


def test_matplotlib_is_asked_for_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def without(name: str, *others: object, **more: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *others, **more)

    X, y = data.classes(50, 2)
    path = th.svm_path(X, y, GRID)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'thresher\[plot\]'"):
        th.PathDisplay.from_path(path)
