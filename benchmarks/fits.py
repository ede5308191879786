"""Single fits: scikit-learn's estimators on reduced data, quantile regression by size, many classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.children import ask, best_time
from benchmarks.problems import Data, MissingSetError, covtype_classes, sparse
from benchmarks.report import number
from benchmarks.rivals.warned import counted_warnings
from benchmarks.search import SETS

LIMIT = 120.0

# --- reduced data

REDUCED_C, REDUCED_TOL = (0.01, 1.0), 1e-8


@dataclass(frozen=True)
class ReducedFit:
    """A solver of scikit-learn on all rows and on reduced ones."""

    set: str
    estimator: str
    C: float
    kept: int
    share: float
    seconds: float
    proofs: float
    full: float
    difference: float


def wrapped(estimator: str, C: float) -> Any:
    """Return an estimator of scikit-learn, to be run to convergence."""
    from sklearn.svm import SVC, LinearSVC, LinearSVR

    if estimator == "SVC":
        return SVC(kernel="linear", C=C, tol=REDUCED_TOL)
    kind = {"LinearSVC": LinearSVC, "LinearSVR": LinearSVR}[estimator]
    model = kind(C=C, tol=REDUCED_TOL, max_iter=100_000_000, random_state=0)
    return model.set_params(loss="hinge") if estimator == "LinearSVC" else model


def fit_all(name: str, estimator: str, C: float) -> dict[str, Any]:
    """Fit to all rows."""
    data = SETS[name]()
    model = wrapped(estimator, C)
    seconds, _ = best_time(lambda: model.fit(data.X, data.y))
    return {"seconds": seconds, "coef": np.ravel(model.coef_).tolist()}


def fit_reduced(name: str, estimator: str, C: float) -> dict[str, Any]:
    """Fit to reduced rows."""
    import thresher

    data = SETS[name]()
    small = data.slice()
    model = thresher.Reduced(wrapped(estimator, C))
    model.fit(small.X, small.y)
    seconds, _ = best_time(lambda: model.fit(data.X, data.y))
    found = model.reduction_
    alone, _ = best_time(lambda: model.estimator_.fit(found.X, found.y, sample_weight=found.sample_weight))
    coef = np.ravel(model.coef_).tolist()
    return {"seconds": seconds, "alone": alone, "kept": len(found.y), "share": found.share, "coef": coef}


REDUCED_CASES = [
    *((name, "LinearSVC", C) for name in ("ijcnn1", "wine", "covtype_6v7") for C in REDUCED_C),
    *(("houses", "LinearSVR", C) for C in REDUCED_C),
    *(("wine", "SVC", C) for C in REDUCED_C),
]


def reduced(say: Callable[[str], None]) -> list[ReducedFit]:
    """Measure all cases whose set is there."""
    found = []
    for name, estimator, C in REDUCED_CASES:
        try:
            SETS[name]()
        except MissingSetError as missing:
            say(f"skipped {name}: {missing}")
            continue
        say(f"  reduced {estimator} on {name}, C = {C:g}")
        given = {"name": name, "estimator": estimator, "C": C}
        few, all_ = ask("fits:fit_reduced", LIMIT, **given), ask("fits:fit_all", LIMIT, **given)
        if few is None:
            raise RuntimeError(f"Reduced({estimator}) on {name} took more than {LIMIT:g} s")
        seconds = float("nan") if all_ is None else all_["seconds"]
        apart = np.nan if all_ is None else float(np.abs(np.subtract(few["coef"], all_["coef"])).max())
        proofs = few["seconds"] - few["alone"]
        found.append(
            ReducedFit(name, estimator, C, few["kept"], few["share"], few["seconds"], proofs, seconds, apart)
        )
    return found


REDUCED_TEXT = f"""\
## scikit-learn's solvers on reduced data

`Reduced(estimator)` against the estimator itself on all rows, both run to tol = {REDUCED_TOL:g}, with its own
kind of intercept; seconds of a fit, proofs included, and how far apart the coefficients are at most. A fit
may take {LIMIT:g} s.
"""


def reduced_table(found: list[ReducedFit]) -> list[str]:
    """Return the lines of the table."""
    lines = [
        "| set | estimator | C | rows left | share | Reduced, s | proofs | all rows, s | ratio | apart |",
        "|" + " --- |" * 10,
    ]
    for one in found:
        late = np.isnan(one.full)
        full = f"> {LIMIT:g}" if late else number(one.full)
        ratio = f"> {number(LIMIT / one.seconds)}" if late else number(one.full / one.seconds)
        apart = "–" if late else f"{one.difference:.0e}"
        lines.append(
            f"| {one.set} | {one.estimator} | {one.C:g} | {one.kept:,} | {one.share:.2%} "
            f"| {number(one.seconds)} | {number(one.proofs)} | {full} | {ratio} | {apart} |"
        )
    return lines


# --- quantile regression by size

QUANTILE, COLUMNS, SIZES = 0.8, 50, (2_000, 5_000, 20_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class QuantileFit:
    """One size: seconds and mean pinball loss of both; NaN where the time was up."""

    rows: int
    seconds: float
    loss: float
    rival: float
    rival_loss: float


def quantile_data(rows: int) -> tuple[Any, Any]:
    """Return a linear model with heavy-tailed noise whose scale depends on the first feature."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, COLUMNS))
    noise = random.standard_t(3.0, rows) * np.exp(0.3 * X[:, 0])
    return X, X @ random.standard_normal(COLUMNS) + noise


def fit_quantile(rows: int, who: str) -> dict[str, Any]:
    """Fit one of the two; the penalties differ, and are too weak to matter."""
    from sklearn.linear_model import QuantileRegressor
    from sklearn.metrics import mean_pinball_loss

    import thresher

    X, y = quantile_data(rows)
    if who == "thresher":
        model = thresher.QuantileRegressor(quantile=QUANTILE).fit(X[:300], y[:300])
    else:
        model = QuantileRegressor(quantile=QUANTILE, alpha=0.0, solver="highs")
    seconds, _ = best_time(lambda: model.fit(X, y))
    return {"seconds": seconds, "loss": mean_pinball_loss(y, model.predict(X), alpha=QUANTILE)}


def quantiles(say: Callable[[str], None]) -> list[QuantileFit]:
    """Measure all sizes; once the rival has run out of time it is not tried on more rows."""
    found, tried = [], True
    nothing = {"seconds": float("nan"), "loss": float("nan")}
    for rows in SIZES:
        say(f"  quantile regression, {rows:,} rows")
        ours = ask("fits:fit_quantile", LIMIT, rows=rows, who="thresher") or nothing
        theirs = ask("fits:fit_quantile", LIMIT, rows=rows, who="scikit-learn") if tried else None
        tried = theirs is not None
        theirs = theirs or nothing
        found.append(QuantileFit(rows, ours["seconds"], ours["loss"], theirs["seconds"], theirs["loss"]))
    return found


QUANTILE_TEXT = f"""\
## Quantile regression by size

Quantile {QUANTILE:g}, {COLUMNS} columns, generated: `QuantileRegressor()` against scikit-learn's with
`alpha=0` and its linear programming solver HiGHS, for {LIMIT:g} s at most. The models differ by thresher's
penalty with C = 1, which the losses show to be of no account.
"""


def quantile_table(found: list[QuantileFit]) -> list[str]:
    """Return the lines of the table."""
    lines = [
        "| rows | thresher, s | scikit-learn, s | ratio | mean pinball loss | scikit-learn's |",
        "|" + " --- |" * 6,
    ]
    for one in found:
        late = np.isnan(one.rival)
        rival = f"> {LIMIT:g}" if late else number(one.rival)
        ratio = f"> {number(LIMIT / one.seconds)}" if late else number(one.rival / one.seconds)
        loss = "–" if late else f"{one.rival_loss:.8f}"
        lines.append(
            f"| {one.rows:,} | {number(one.seconds)} | {rival} | {ratio} | {one.loss:.8f} | {loss} |"
        )
    return lines


# --- many classes

CLASSES_LIMIT, HELD_OUT = 240.0, 0.25
CLASSIFIERS = ("thresher, free", "thresher, penalised", "thresher, penalised, 2 jobs", "scikit-learn")


@dataclass(frozen=True)
class ClassesFit:
    """One classifier on one set: seconds, accuracies, and how far the objective of the worst class is off."""

    set: str
    who: str
    seconds: float
    training: float
    test: float
    suboptimality: float
    note: str


def news20_classes() -> Data:
    """Return the twenty classes of news20, rows of length one."""
    from sklearn.preprocessing import normalize

    X, y = sparse("news20_multiclass")
    return Data("news20, 20 classes, CSR", normalize(X).tocsr(), y, "hinge")


CLASS_SETS: dict[str, Callable[[], Data]] = {
    "covtype": partial(covtype_classes, "covtype, 7 classes"),
    "news20": news20_classes,
}


def fit_classes(name: str, who: str) -> dict[str, Any]:
    """Fit to all rows; then, for the accuracy on rows held out, to three quarters of them."""
    from sklearn.model_selection import train_test_split
    from sklearn.svm import LinearSVC

    import thresher

    data = CLASS_SETS[name]()
    if who == "scikit-learn":
        model: Any = LinearSVC(loss="hinge", random_state=0)
    else:
        jobs = 2 if who.endswith("2 jobs") else None
        model = thresher.LinearSVC(intercept="free" if "free" in who else "penalised", n_jobs=jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data.X[:3000], data.y[:3000])
    with counted_warnings() as warned:
        seconds, _ = best_time(lambda: model.fit(data.X, data.y))
    training = float(np.mean(model.predict(data.X) == data.y))
    worst = suboptimality(data, model, who)
    test = float("nan")
    if name == "news20":
        parts = train_test_split(data.X, data.y, test_size=HELD_OUT, random_state=0, stratify=data.y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test = float(model.fit(parts[0], parts[2]).score(parts[1], parts[3]))
    return {
        "seconds": seconds,
        "training": training,
        "test": test,
        "suboptimality": worst,
        "note": warned.sentence(),
    }


def suboptimality(data: Data, model: Any, who: str) -> float:
    """Return the largest proven bound over the classes: thresher's own gap, or by thresher's dual value."""
    import thresher

    if who != "scikit-learn":
        return float(np.max(model.dual_gap_))
    rows = thresher.Problem.svm(data.X, data.y == model.classes_[0]).rows
    worst = 0.0
    for label, coef, intercept in zip(model.classes_, model.coef_, model.intercept_, strict=True):
        problem = thresher.Problem.svm(rows, data.y == label, intercept="penalised")
        dual = thresher.solve_path(problem, [model.C], tol=1e-4)[0].dual
        worst = max(worst, problem.primal(np.append(coef, intercept), model.C) / dual - 1.0)
    return worst


def classes(say: Callable[[str], None]) -> list[ClassesFit]:
    """Measure all classifiers on the sets that are there."""
    found = []
    for name, load in CLASS_SETS.items():
        try:
            title = load().name
        except MissingSetError as missing:
            say(f"skipped {name}: {missing}")
            continue
        for who in CLASSIFIERS:
            say(f"  classes of {name}: {who}")
            one = ask("fits:fit_classes", CLASSES_LIMIT, name=name, who=who)
            nan = float("nan")
            late = {"seconds": nan, "training": nan, "test": nan, "suboptimality": nan}
            late["note"] = f"did not finish in {CLASSES_LIMIT:g} s"
            found.append(ClassesFit(title, who, **(one or late)))
    return found


CLASSES_TEXT = f"""\
## Many classes

One against the rest, C = 1, all rows (covtype: 581,012 × 54; news20: 15,935 × 62,061): `LinearSVC()` against
scikit-learn's `LinearSVC(loss="hinge")` with its default tolerance and limit of 1000 iterations, for
{CLASSES_LIMIT:g} s at most. The relative suboptimality of the worst class is proven. For news20 also the
accuracy on a quarter of the rows, held out in another fit.
"""


def classes_table(found: list[ClassesFit]) -> list[str]:
    """Return the lines of the table."""
    lines = [
        "| set | by | seconds | accuracy, training | held out | worst suboptimality | remarks |",
        "|" + " --- |" * 7,
    ]
    for one in found:
        cells = [
            number(one.seconds),
            *(("–" if np.isnan(v) else f"{v:.4f}") for v in (one.training, one.test)),
        ]
        cells.append("–" if np.isnan(one.suboptimality) else f"{one.suboptimality:.0e}")
        lines.append(f"| {one.set} | {one.who} | {' | '.join(cells)} | {one.note} |")
    return lines
