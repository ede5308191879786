"""The free intercept: the same proofs, the same optimum, wherever the origin lies."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import SVC, SVR

import thresher as th
from support import data, free, oracle
from support.descent import descend
from support.models import EPSILON, MODELS, Parts, parts
from support.paths import (
    GRID,
    GRIDS,
    SOLVERS,
    STORAGES,
    TOL,
    TOLERANCES,
    assert_same,
    models,
    solve,
    weights_of,
)
from test_safety import assert_safe_and_useful, over_many_trials, ratio, tally, wrong
from thresher.grid import BOX_ROWS, outset
from thresher.rows import CsrRows
from thresher.solvers.levelled import LEVELS, Bracket, Levelled

Array = NDArray[np.float64]


def assert_optimal(given: Parts, scale: Array, path: th.Path, best: list[float]) -> None:
    for k, solution in enumerate(path):
        found = free.primal(given, scale, solution.C, solution.coef, solution.intercept)
        assert solution.status.met
        assert found == pytest.approx(best[k], rel=1e-7)
        assert path.primal[k] == pytest.approx(found, rel=1e-9)
        gap = free.gap(given, scale, solution.C, solution.coef, solution.intercept, solution.theta)
        assert gap <= TOL * found + 1e-12
        assert path.gap[k] == pytest.approx(gap / found, rel=1e-2, abs=1e-11)


# --- against the oracle


@cache
def best_of(name: str, weighted: bool) -> list[float]:
    X, y = MODELS[name].data()
    given = parts(name, X, y, weights_of(y) if weighted else None)
    return [free.optimum(given, free.scale_of(name, y), C)[2] for C in GRID]


@pytest.mark.parametrize("storage", list(STORAGES))
@pytest.mark.parametrize("weighted", [False, True])
@models
def test_agrees_with_oracle(name: str, weighted: bool, storage: str) -> None:
    X, y = MODELS[name].data()
    weight = weights_of(y) if weighted else None
    problem = MODELS[name].build(STORAGES[storage](X), y, sample_weight=weight, intercept="free")
    given = parts(name, X, y, weight)
    assert_optimal(given, free.scale_of(name, y), solve(problem), best_of(name, weighted))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["hinge", "insensitive"])
def test_agrees_with_libsvm(name: str, weighted: bool) -> None:
    X, y = MODELS[name].data()
    weight = weights_of(y) if weighted else None
    path = solve(MODELS[name].build(X, y, sample_weight=weight, intercept="free"), [0.03, 0.3])
    for solution in path:
        kind = {"hinge": SVC, "insensitive": SVR}[name]
        others = {} if name == "hinge" else {"epsilon": EPSILON}
        model = kind(kernel="linear", C=solution.C, tol=1e-10, **others).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(solution.coef, model.coef_.ravel(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(solution.intercept, model.intercept_, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("share", [0.01, 0.5])
def test_classes_of_any_balance(share: float) -> None:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) < 300 * share, 1.0, -1.0)
    X = rng.normal(size=(300, 4)) + 0.7 * y[:, None] + 2.0
    given = parts("hinge", X, y)
    best = [free.optimum(given, -y, C)[2] for C in GRID]
    for stored in (X, sparse.csr_matrix(X)):
        assert_optimal(given, -y, solve(th.Problem.svm(stored, y, intercept="free")), best)


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_a_single_class_needs_no_weights(label: float) -> None:
    X, _ = data.classes()
    problem = th.Problem(X, 1.0, 0.0, 1.0, -label * np.ones(len(X)), "free")
    path = solve(problem)
    assert not path.coef.any()
    assert not path.primal.any()
    assert np.all(label * path.intercept >= 1.0)


@models
def test_more_columns_than_rows(name: str) -> None:
    X, y = MODELS[name].data(12, 25)
    given, scale = parts(name, X, y), free.scale_of(name, y)
    best = [free.optimum(given, scale, C)[2] for C in GRID]
    for k, solution in enumerate(solve(MODELS[name].build(X, y, intercept="free"))):
        assert solution.status.met
        assert solution.primal == pytest.approx(best[k], rel=1e-7, abs=1e-9)


# --- relations


@models
def test_origin_of_the_features_is_irrelevant(name: str) -> None:
    X, y = MODELS[name].data()
    here = solve(MODELS[name].build(X, y, intercept="free"))
    moved = X + 1e4 * np.random.default_rng(0).normal(size=X.shape[1])
    for stored in (moved, sparse.csr_matrix(moved)):
        there = solve(MODELS[name].build(stored, y, intercept="free"))
        np.testing.assert_allclose(there.coef, here.coef, atol=1e-8)
        decisions = moved @ there.coef.T + there.intercept
        np.testing.assert_allclose(decisions, X @ here.coef.T + here.intercept, atol=2e-8)


def test_penalised_intercept_is_moved_by_the_origin() -> None:
    """What the free one is for."""
    X, y = data.classes()
    here, there = (th.svm_path(Z, y, [1.0], intercept="penalised", tol=TOL) for Z in (X, X + 5.0))
    assert np.abs(there.coef - here.coef).max() > 1e-2


def test_swapped_labels_flip_the_model() -> None:
    X, y = data.classes()
    one, other = (solve(th.Problem.svm(X, labels, intercept="free")) for labels in (y, -y))
    np.testing.assert_allclose(other.coef, -one.coef, atol=1e-8)
    np.testing.assert_allclose(other.intercept, -one.intercept, atol=1e-8)


@models
def test_targets_and_intercept_move_together(name: str) -> None:
    X, y = MODELS[name].data()
    if not MODELS[name].classifies:
        one, other = (solve(MODELS[name].build(X, t, intercept="free")) for t in (y, y + 50.0))
        np.testing.assert_allclose(other.coef, one.coef, atol=1e-8)
        np.testing.assert_allclose(other.intercept, one.intercept + 50.0, rtol=1e-8)


@models
def test_rule_changes_nothing_and_twice_is_weight_two(name: str) -> None:
    X, y = MODELS[name].data()
    problem = MODELS[name].build(X, y, intercept="free")
    path = solve(problem)
    assert_same(solve(problem, rule="none"), path)
    twice = np.arange(len(y)) % 3 == 0
    doubled = MODELS[name].build(np.vstack([X, X[twice]]), np.r_[y, y[twice]], intercept="free")
    weighted = MODELS[name].build(X, y, sample_weight=1.0 + twice, intercept="free")
    assert_same(solve(doubled), solve(weighted))


def test_path_between_its_points_saved_and_resumed(tmp_path: object) -> None:
    X, y = data.classes()
    problem = th.Problem.svm(X, y, intercept="free")
    path = solve(problem)
    assert path.at(0.1).status.met
    path.save(f"{tmp_path}/path.npz")
    again = th.Path.load(f"{tmp_path}/path.npz", problem)
    for one, other in zip(path, again, strict=True):
        np.testing.assert_array_equal(one.fates, other.fates)
    resumed = solve(problem, np.r_[GRID, 5.0], start=again)
    assert_same(solve(problem, np.r_[GRID, 5.0]), resumed)


@pytest.mark.parametrize("rule", ["dvi*", "ssnsv", "essnsv"])
def test_rules_for_the_model_without_say_so(rule: str) -> None:
    X, y = data.classes()
    with pytest.raises(ValueError, match="free intercept; use rule 'dvi'"):
        th.svm_path(X, y, [1.0], intercept="free", rule=rule)


# --- by levels: coordinate descent, which knows a penalised intercept only


@pytest.mark.parametrize("storage", ["dense", "csr"])
@models
def test_descent_agrees_with_newton(name: str, storage: str) -> None:
    X, y = MODELS[name].data()
    problem = MODELS[name].build(STORAGES[storage](X), y, sample_weight=weights_of(y), intercept="free")
    grid, tol = GRIDS["descent"], TOLERANCES["descent"]
    one, other = solve(problem, grid), solve(problem, grid, solver="descent", tol=tol)
    assert all(solution.status.met for solution in other)
    assert other.solver.name == "descent"
    assert_same(one, other, tol)


def test_wide_sparse_data_stays_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    columns, rows = 1_000_000, 600
    y = np.where(np.arange(rows) < 150, 1.0, -1.0)
    small = sparse.random(rows, 30, density=0.3, random_state=rng, format="csr")
    places = np.sort(rng.choice(columns, 30, replace=False))
    wide = sparse.csr_matrix((small.data, places[small.indices], small.indptr), (rows, columns))
    one = th.svm_path(small.toarray(), y, [0.1, 1.0], intercept="free", tol=1e-9)

    def refuse(*_: object) -> None:
        raise AssertionError("rows were made dense")

    monkeypatch.setattr(CsrRows, "gather", refuse)
    monkeypatch.setattr(CsrRows, "to_dense", refuse)
    other = th.svm_path(wide, y, [0.1, 1.0], intercept="free", tol=1e-6)
    assert all(solution.status.met for solution in other)
    np.testing.assert_allclose(other.primal, one.primal, rtol=2e-6)


@pytest.mark.parametrize("root", [-3.7, 0.0, 41.0])
@pytest.mark.parametrize("slope", [1e-3, 0.3, 0.999])
def test_levels_close_in_on_the_root(slope: float, root: float) -> None:
    """v falls, by less than the level rises, with bends."""

    def v(level: float) -> float:
        away = root - level
        return slope * away if abs(away) < 2.0 else slope * 2.0 * np.sign(away) + 0.05 * slope * away

    bracket, level = Bracket(), 100.0
    for _ in range(LEVELS):
        level = bracket.after(level, v(level))
        if abs(level - root) <= 1e-9:
            break
    assert abs(level - root) <= 1e-9


def test_steps_of_the_inner_solver_are_limited() -> None:
    X, y = MODELS["hinge"].data()
    solver = Levelled(th.solvers.Descent(max_epochs=3), max_steps=5)
    solution = th.svm_path(X, y, [1.0], intercept="free", solver=solver, tol=1e-12)[0]
    assert solution.status is th.Status.NOT_CONVERGED
    assert 0 < solution.iterations <= 8


@pytest.mark.parametrize("solver", SOLVERS)
def test_many_rows_at_rest_need_no_box_problem(solver: str) -> None:
    """More rows of the larger class than are worth a closed form, from C inside it to far beyond."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(BOX_ROWS + 200) < 60, 1.0, -1.0)
    X = rng.normal(size=(len(y), 3)) + 0.7 * y[:, None]
    given = parts("hinge", X, y)
    problem = th.Problem.svm(X, y, intercept="free")
    grid = outset(problem) * np.array([0.5, 2.0, 30.0])
    path = solve(problem, grid, solver=solver, tol=TOLERANCES[solver])
    assert all(status is th.Status.CONVERGED for status in path.status)
    for solution in path:
        assert solution.primal == pytest.approx(free.optimum(given, -y, solution.C)[2], rel=2e-6)
    assert len(th.solve_path(problem)) > 1


# --- safety


def pair(rng: np.random.Generator, given: free.FreeCase, C: float) -> tuple[Array, Array]:
    """A pair of any quality at C: w with its intercept, and a theta that need not be admissible."""
    case = given.case
    epochs = int(rng.choice([0, 1, 10, 100, 1000]))
    start = case.theta if rng.random() < 0.5 else None
    Z = case.Z - np.outer(given.scale, (case.Z * given.scale[:, None]).mean(axis=0))
    w, theta = descend(Z, case.offsets + given.scale * given.b, case.lower, case.upper, C, epochs, start)
    noise = 10 ** rng.uniform(-12, 0) * rng.choice([0.0, 1.0])
    return np.r_[w, given.b + noise * rng.normal()], theta


def screened(seed: int, count: int, **options: bool) -> Iterator[tuple[NDArray[np.int8], Array]]:
    for rng in np.random.default_rng(seed).spawn(count):
        given = free.plant(rng, **options)
        case = given.case
        X = given.scale[:, None] * case.Z
        problem = given.problem(X if rng.random() < 0.5 else sparse.csr_matrix(X))
        C = case.C * ratio(rng)
        certificate = problem.certify(*pair(rng, given, C), C)
        ball = certificate.ball(case.C)
        yield problem.screen(ball).fates, case.scores
        yield problem.screen(th.Ball(ball.centre, ball.radius)).fates, case.scores


@over_many_trials
def test_no_row_is_certified_wrongly(seed: int, count: int) -> None:
    assert_safe_and_useful(tally(screened(seed, count)), least=0.05)


def test_nor_where_the_intercept_is_not_unique() -> None:
    assert_safe_and_useful(tally(screened(1, 300, unique=False)), least=0.02)


def test_nor_far_from_the_origin() -> None:
    assert_safe_and_useful(tally(screened(2, 300, far=True)), least=0.02)


def test_optimal_pair_proves_all_but_the_kink() -> None:
    cleared = 0
    for rng in np.random.default_rng(3).spawn(200):
        given = free.plant(rng)
        case, problem = given.case, given.problem(given.scale[:, None] * given.case.Z)
        certificate = problem.certify(np.r_[case.w, given.b], case.theta, case.C)
        fates = problem.screen(certificate.ball(case.C)).fates
        assert not wrong(fates, case.scores).any()
        held = certificate.anchor is not None and certificate.anchor.weight > 0.0
        clear = np.abs(case.scores) > 1e-5 * (1 + np.linalg.norm(case.Z, axis=1) * np.linalg.norm(case.w))
        cleared += held * np.count_nonzero(clear)
        np.testing.assert_array_equal(fates[clear & held], case.fates[clear & held])
    assert cleared > 1000


def test_the_same_trials_convict_an_intercept_taken_for_known() -> None:
    """The ball alone, with the pair's own intercept in place of every one that may be optimal."""

    def answers() -> Iterator[tuple[NDArray[np.int8], Array]]:
        for rng in np.random.default_rng(0).spawn(250):
            given = free.plant(rng)
            case = given.case
            problem = given.problem(given.scale[:, None] * case.Z)
            C = case.C * ratio(rng)
            w, theta = pair(rng, given, C)
            ball = problem.certify(w, theta, C).ball(case.C)
            mean = problem.frame.mean
            centred = case.Z - np.outer(given.scale, mean)
            middle = centred @ ball.centre + case.offsets + given.scale * (w[-1] + mean @ w[:-1])
            reach = ball.radius * np.linalg.norm(centred, axis=1)
            yield np.where(middle > reach, 1, np.where(middle < -reach, -1, 0)).astype(np.int8), case.scores

    assert tally(answers()).wrong > 0


# --- lifetimes


def test_lifetimes_are_what_the_ball_proves() -> None:
    compared = agreed = 0
    for rng in np.random.default_rng(4).spawn(150):
        given = free.plant(rng)
        case, problem = given.case, given.problem(given.scale[:, None] * given.case.Z)
        C = case.C * ratio(rng)
        certificate = problem.certify(*pair(rng, given, C), C)
        lives = th.lifetimes(problem, certificate)
        assert not wrong(lives.at(case.C), case.scores).any()
        for value in C * np.array([ratio(rng), 1.01, 0.99]):
            ball = certificate.ball(value)
            if ball.is_loose(problem.mean_norm):
                continue  # screened between quantiles, which have no lifetimes
            fates, known = lives.at(value), problem.screen(ball).fates
            near_an_end = np.isclose(value, lives.since, 1e-6) | np.isclose(value, lives.until, 1e-6)
            compared += np.count_nonzero(fates)
            agreed += np.count_nonzero(fates[(fates == known) | near_an_end])
    assert compared > 500
    assert agreed >= 0.99 * compared


# --- the formulas themselves


def test_values_and_residuals() -> None:
    X, y = data.regression()
    problem = th.Problem.lad(X + 3.0, y, intercept="free")
    given, scale = parts("absolute", X + 3.0, y), -np.ones(len(y))
    solution = solve(problem, [0.1])[0]
    assert problem.primal(solution.w, 0.1) == pytest.approx(solution.primal, rel=1e-12)
    assert problem.dual(solution.theta, 0.1) == pytest.approx(solution.dual, rel=1e-9)
    residuals = problem.residuals(solution.w, solution.theta, 0.1)
    # [GAP] is half the square of the one plus a sum over the other.
    assert solution.gap < 1e-12
    assert residuals.stationarity <= (2.0 * solution.certificate.gap_bound) ** 0.5
    assert residuals.complementarity < 1e-7
    far = problem.residuals(solution.w, np.ones(len(y)), 0.1)
    assert far.stationarity > 0.1 * abs(scale.sum())
    assert oracle.primal(given.Z, y - solution.intercept, given.lower, given.upper, 0.1, solution.coef) == (
        pytest.approx(solution.primal, rel=1e-12)
    )
