"""The paper's sets at the paper's 100 values of C: accuracy, and the rules compared."""

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from support import data
from support.models import parts
from support.paths import by_definition

Array = NDArray[np.float64]

GRID = np.geomspace(1e-2, 10.0, 100)
SVM_SETS = ["ijcnn1", "wine_quality_redwhite", "covtype_6v7"]
LAD_SETS = ["magic", "cpu_small", "houses"]
needs_time = pytest.mark.slow


def set_of(name: str, scaled: bool) -> tuple[str, Array, Array]:
    """The loss, the features with a constant column, the targets."""
    X, y = data.real(name)
    X = X if isinstance(X, np.ndarray) else X.toarray()
    if scaled:
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return ("hinge" if name in SVM_SETS else "absolute"), np.column_stack([X, np.ones(len(y))]), y


@needs_time
@pytest.mark.parametrize("scaled", [True, False], ids=["scaled", "raw"])
@pytest.mark.parametrize("name", SVM_SETS + LAD_SETS)
def test_every_point_is_accurate(name: str, scaled: bool) -> None:
    loss, X, y = set_of(name, scaled)
    solve = th.svm_path if loss == "hinge" else th.lad_path
    path = solve(X, y, GRID, tol=1e-10)
    assert all(solution.status.met for solution in path)
    given = parts(loss, X, y)
    for k in range(0, len(path), 11):
        primal, gap = by_definition(given, path[k])
        assert gap <= 1e-10
        assert path.primal[k] == pytest.approx(primal, rel=1e-10)


def proven(problem: th.Problem, path: th.Path) -> dict[str, NDArray[np.int8]]:
    """Fates by rule at every C but the first, from the same certified points."""
    rules = {name: th.rules.find_rule(name) for name in ("ssnsv", "essnsv", "dvi")}
    fates: dict[str, list[NDArray[np.int8]]] = {name: [] for name in rules}
    for before, solution in zip(path.solutions, path.solutions[1:], strict=False):
        for name, rule in rules.items():
            reduced = rule.screen(th.Ledger(problem), before.point, solution.C, lambda: path[-1].point)
            fates[name].append(reduced.fates)
    return {name: np.array(rows) for name, rows in fates.items()}


def assert_rules_compare(X: Array, y: Array) -> None:
    problem = th.Problem.svm(X, y)
    path = th.solve_path(problem, GRID, tol=1e-10)
    fates = proven(problem, path)
    signs = np.array([np.sign(problem.scores(solution.w)) for solution in path.solutions[1:]])
    for found in fates.values():
        assert np.all((found == 0) | (found == signs))
    weaker = fates["ssnsv"]
    assert np.all(fates["essnsv"][weaker != 0] == weaker[weaker != 0])
    share = {name: float(np.mean(found != 0)) for name, found in fates.items()}
    assert 0.0 < share["ssnsv"] <= share["essnsv"] < share["dvi"] < 1.0


@pytest.mark.parametrize("toy", list(data.TOYS))
def test_rules_compare_on_the_toys(toy: str) -> None:
    assert_rules_compare(*data.toy(toy))


@needs_time
@pytest.mark.parametrize("name", SVM_SETS)
def test_rules_compare_on_real_sets(name: str) -> None:
    _, X, y = set_of(name, scaled=name != "ijcnn1")
    assert_rules_compare(X[:, :-1], y)
