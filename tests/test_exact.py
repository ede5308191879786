"""Every point of a path is the optimum, by the judgement of a solver from outside."""

from functools import cache

import numpy as np
import pytest

import thresher as th
from support import data, oracle
from support.models import MODELS, Parts, parts
from support.paths import (
    GRID,
    GRIDS,
    STORAGES,
    TOL,
    TOLERANCES,
    assert_optimal,
    assert_same,
    by_definition,
    models,
    solve,
    solvers,
    weights_of,
)
from support.planted import SHAPES, VARIANTS, plant

# --- against the oracle


@cache
def oracle_values(name: str, weighted: bool, intercept: str) -> list[float]:
    X, y = MODELS[name].data()
    given = parts(name, X, y, weights_of(y) if weighted else None, intercept)
    return [oracle.clarabel_solution(*given, C)[1] for C in GRID]


@solvers
@pytest.mark.parametrize("storage", list(STORAGES))
@pytest.mark.parametrize("intercept", ["none", "penalised"])
@pytest.mark.parametrize("weighted", [False, True])
@models
def test_agrees_with_oracle(name: str, weighted: bool, intercept: str, storage: str, solver: str) -> None:
    X, y = MODELS[name].data()
    weight = weights_of(y) if weighted else None
    stored = STORAGES[storage](X)
    problem = MODELS[name].build(stored, y, sample_weight=weight, intercept=intercept)
    path = solve(problem, GRIDS[solver], solver=solver, tol=TOLERANCES[solver])
    given = parts(name, X, y, weight, intercept)
    assert_optimal(given, path, oracle_values(name, weighted, intercept))
    if intercept == "none":
        assert not np.any(path.intercept)
    else:
        np.testing.assert_array_equal(path.intercept, [solution.w[-1] for solution in path])


@solvers
@pytest.mark.parametrize(("rows", "columns"), [(80, 1), (10, 25), (2, 3)])
@models
def test_agrees_on_other_shapes(name: str, rows: int, columns: int, solver: str) -> None:
    X, y = MODELS[name].data(rows, columns)
    given = parts(name, X, y)
    best = [oracle.clarabel_solution(*given, C)[1] for C in GRID]
    problem = MODELS[name].build(X, y)
    path = solve(problem, GRIDS[solver], solver=solver, tol=TOLERANCES[solver])
    assert_optimal(given, path, best)


@pytest.mark.parametrize("name", ["absolute", "pinball", "insensitive"])
def test_one_row(name: str) -> None:
    X, y = np.array([[2.0, -1.0]]), np.array([3.0])
    given = parts(name, X, y)
    best = [oracle.clarabel_solution(*given, C)[1] for C in GRID]
    assert_optimal(given, solve(MODELS[name].build(X, y)), best)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("hinge", "ijcnn1"),
        ("hinge", "wine_quality_redwhite"),
        ("hinge", "covtype_6v7"),
        ("absolute", "magic"),
        ("absolute", "cpu_small"),
        ("absolute", "houses"),
    ],
)
@solvers
def test_agrees_on_real_data(name: str, source: str, solver: str) -> None:
    X, y = data.real_sample(source, 250)
    if name != "hinge":
        y = y - y.mean()  # targets of one sign leave w = 0 where X is centred
    grid = np.geomspace(1e-2, 1.0 if solver == "newton" else 0.2, 4)
    given = parts(name, X, y)
    best = [oracle.clarabel_solution(*given, C)[1] for C in grid]
    path = solve(MODELS[name].build(X, y), grid, solver=solver, tol=TOLERANCES[solver])
    assert_optimal(given, path, best)


@pytest.mark.parametrize("toy", list(data.TOYS))
def test_toys_of_the_paper(toy: str) -> None:
    X, y = data.toy(toy, each=150)
    given = parts("hinge", X, y)
    best = [oracle.clarabel_solution(*given, C)[1] for C in GRID]
    path = solve(th.Problem.svm(X, y))
    assert_optimal(given, path, best)
    assert 0.3 < path.screened.sum(axis=1).mean() <= 1


@models
def test_face_is_the_problem_solved(name: str) -> None:
    model = MODELS[name]
    X, y = model.data()
    weight = weights_of(y)
    others = {"sample_weight": weight, "intercept": "penalised"}
    face = model.path(X, y, GRID, **model.options, **others, tol=TOL)
    assert_same(solve(model.build(X, y, **others)), face)


@models
def test_fates_are_true(name: str) -> None:
    X, y = MODELS[name].data()
    given = parts(name, X, y)
    path = solve(MODELS[name].build(X, y))
    seen = set()
    for solution in path:
        w, _ = oracle.clarabel_solution(*given, solution.C)
        scores = given.Z @ w + given.offsets
        assert np.all(scores[solution.fates == th.UPPER] > -1e-9)
        assert np.all(scores[solution.fates == th.LOWER] < 1e-9)
        seen |= set(solution.fates.tolist())
    assert seen == {th.LOWER, th.FREE, th.UPPER}


@models
def test_norm_grows_and_loss_falls_with_C(name: str) -> None:
    X, y = MODELS[name].data()
    given = parts(name, X, y)
    path = solve(MODELS[name].build(X, y))
    norms = np.linalg.norm(path.coef, axis=1)
    losses = np.array([oracle.losses(*given, w).sum() for w in path.coef])
    assert np.all(np.diff(norms) > -1e-4 * norms[1:])
    assert np.all(np.diff(losses) < 1e-6 * losses[:-1])
    assert norms[0] < 0.9 * norms[-1]
    assert losses[-1] < 0.9 * losses[0]


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("variant", list(VARIANTS))
def test_finds_the_planted_optimum(variant: str, shape: str) -> None:
    """The pitfalls one by one, at C from 2^-8 to 64."""
    for rng in np.random.default_rng(6).spawn(40):
        case = plant(rng, variant=variant, shape=shape, C=2.0 ** rng.integers(-8, 7))
        given = Parts(case.Z, case.offsets, case.lower, case.upper)
        path = solve(th.Problem(*given), [case.C])
        assert_optimal(given, path, [oracle.primal(*given, case.C, case.w)])


@solvers
@models
def test_C_over_sixteen_decades(name: str, solver: str) -> None:
    X, y = MODELS[name].data(60, 4)
    given = parts(name, X, y)
    grid = 10.0 ** np.arange(-8, 9, 2)
    path = solve(MODELS[name].build(X, y), grid, solver=solver, tol=1e-6)
    for k, solution in enumerate(path):
        _, gap = by_definition(given, solution)
        assert path.gap[k] == pytest.approx(gap, rel=1e-2, abs=1e-9)
        assert solution.status.met == (path.gap[k] <= 1e-6)
    reached = grid <= (1e8 if solver == "newton" else 1.0)
    assert np.all(path.gap[reached] <= 1e-6)


# --- data that test the edges


@models
def test_uneven_columns(name: str) -> None:
    X, y = MODELS[name].data(80, 4)
    X = X * np.array([1e6, 1e-3, 1.0, 1.0])
    given = parts(name, X, y)
    grid = np.geomspace(1e-6, 1e-2, 4)
    path = solve(MODELS[name].build(X, y), grid, tol=1e-6)
    for solution in path:
        _, gap = by_definition(given, solution)
        assert gap <= 1.1e-6


@models
def test_constant_and_empty_columns_and_rows(name: str) -> None:
    X, y = MODELS[name].data()
    X[:, 0], X[:, 1], X[::10] = 1.0, 0.0, 0.0
    given = parts(name, X, y)
    best = [oracle.clarabel_solution(*given, C)[1] for C in GRID]
    for storage in ("dense", "csr"):
        path = solve(MODELS[name].build(STORAGES[storage](X), y))
        assert_optimal(given, path, best)
        assert np.all(np.abs(path.coef[:, 1]) < 1e-12)


@pytest.mark.parametrize("name", ["absolute", "pinball", "insensitive"])
def test_ties_and_zero_targets(name: str) -> None:
    X, y = MODELS[name].data()
    X, y = np.round(X), np.round(y)
    y[::3] = 0.0
    given = parts(name, X, y)
    best = [oracle.clarabel_solution(*given, C)[1] for C in GRID]
    assert_optimal(given, solve(MODELS[name].build(X, y)), best)


def test_all_targets_zero() -> None:
    X, _ = data.regression()
    path = solve(th.Problem.lad(X, np.zeros(len(X))))
    assert not path.coef.any()
    np.testing.assert_array_equal(path.gap, 0.0)


@solvers
def test_separable_classes(solver: str) -> None:
    """From some C on the loss is 0 and the model is the one of the hard margin."""
    X, y = data.separable()
    grid = np.geomspace(1e-2, 1e6, 9)
    path = solve(th.Problem.svm(X, y), grid, solver=solver)
    assert np.all(path.gap <= TOL)
    hard, _ = oracle.clarabel_solution(*parts("hinge", X, y), 1e4)
    for w in path.coef[-3:]:
        np.testing.assert_allclose(w, hard, rtol=1e-4)
    assert np.min(y * (X @ path.coef[-1])) >= 1 - 1e-4


def test_looser_tolerance_is_met_too() -> None:
    X, y = data.classes()
    given = parts("hinge", X, y)
    for tol in (1e-2, 1e-4, 1e-12):
        path = solve(th.Problem.svm(X, y), tol=tol)
        assert max(by_definition(given, solution)[1] for solution in path) <= 1.001 * tol + 1e-13


def test_a_solver_stopped_too_early_is_admitted() -> None:
    X, y = data.regression()
    path = solve(th.Problem.lad(X, y), [1.0], solver=th.solvers.Descent(max_epochs=1))
    assert path.gap[0] > TOL
    assert path.status == [th.Status.NOT_CONVERGED]
    assert not path.status[0].met
