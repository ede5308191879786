"""The path as an object: its grid, its start, its points, its life on disk."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from support import data, oracle
from support.models import MODELS, Parts, parts
from support.paths import AGREEMENT, GRID, TOL, assert_same, by_definition, models, solve
from thresher.grid import outset

Array = NDArray[np.float64]

# --- the grid of C


def test_C_in_the_users_order() -> None:
    X, y = data.classes()
    problem = th.Problem.svm(X, y)
    asked = np.array([1.0, 0.1, 1.0, 3.0, 0.01])
    path, ordered = solve(problem, asked), solve(problem, np.unique(asked))
    np.testing.assert_array_equal(path.C, asked)
    assert [solution.C for solution in path] == asked.tolist()
    places = np.searchsorted(ordered.C, asked)
    np.testing.assert_allclose(path.primal, ordered.primal[places], rtol=2 * TOL)
    np.testing.assert_allclose(path.coef, ordered.coef[places], rtol=1e-3)
    np.testing.assert_array_equal(path.coef[0], path.coef[2])


def test_grid_of_its_own() -> None:
    X, y = data.classes()
    path = th.svm_path(X, y)
    assert len(path) > 1
    assert np.all(np.diff(path.C) > 0)
    assert np.all(path.gap <= 1e-6)


@pytest.mark.parametrize("seed", [11, 18, 24, 30])
def test_values_of_C_a_rounding_apart(seed: int) -> None:
    """A line through two points that are one leads anywhere: here the origin's and the first of the grid."""
    rng = np.random.default_rng(seed)
    X, y = 100.0 + rng.normal(size=(80, 2)), rng.normal(size=80)
    problem = th.Problem.lad(X, y, intercept="free")
    start = outset(problem)
    for apart in (1e-15, 1e-14, 1e-13, 1e-12, 1e-9):
        path = solve(problem, [start * (1 + apart), 5 * start])
        assert all(solution.status.met for solution in path)


def test_one_number_is_a_grid() -> None:
    X, y = data.classes()
    path = solve(th.Problem.svm(X, y), 0.5)
    assert path.C.tolist() == [0.5]


@models
def test_at_any_C_inside(name: str) -> None:
    X, y = MODELS[name].data()
    given = parts(name, X, y)
    path = solve(MODELS[name].build(X, y))
    C = float(np.sqrt(GRID[2] * GRID[3]))
    solution = path.at(C)
    primal, gap = by_definition(given, solution)
    assert solution.C == C
    assert gap <= 1.001 * TOL + 1e-13
    assert primal == pytest.approx(oracle.clarabel_solution(*given, C)[1], rel=AGREEMENT)
    with pytest.raises(ValueError, match="outside"):
        path.at(10 * GRID[-1])


# --- the start [START]


def start_of_path(given: Parts) -> tuple[float, Array, Array]:
    """C_start, v and theta of [START]."""
    theta = np.where(given.offsets > 0, given.upper, given.lower)
    v = -given.Z.T @ theta
    slopes = given.Z @ v * np.sign(given.offsets)
    falling = slopes < 0
    return float(np.min(np.abs(given.offsets[falling]) / -slopes[falling])), v, theta


@models
def test_start_of_the_path_in_closed_form(name: str) -> None:
    X, y = MODELS[name].data()
    given = parts(name, X, y)
    C_start, v, theta = start_of_path(given)
    grid = C_start * np.array([1e-3, 0.5, 0.999, 3.0])
    path = solve(MODELS[name].build(X, y), grid)
    for solution in list(path)[:3]:
        np.testing.assert_allclose(solution.coef, solution.C * v, rtol=1e-10, atol=1e-14)
        np.testing.assert_array_equal(solution.theta, theta)
        assert solution.iterations == 0
    assert np.linalg.norm(path[3].coef - grid[3] * v) > 1e-3 * np.linalg.norm(path[3].coef)


# --- interruption and resumption


class InterruptAfter:
    def __init__(self, points: int) -> None:
        self.left = points

    def __call__(self, *_: object) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.fixture
def problem() -> th.Problem:
    return th.Problem.svm(*data.classes())


def test_interruption_keeps_the_finished_points(problem: th.Problem) -> None:
    with pytest.raises(th.PathInterrupted) as caught:
        solve(problem, callback=InterruptAfter(3))
    finished = caught.value.path
    np.testing.assert_array_equal(finished.C, GRID[:3])
    assert_same(solve(problem, GRID[:3]), finished)
    whole = solve(problem, start=finished)
    np.testing.assert_array_equal(whole.coef[:3], finished.coef)
    assert_same(solve(problem), whole)


def test_resumption_from_a_file(problem: th.Problem, tmp_path: Path) -> None:
    part = solve(problem, GRID[:4])
    part.save(tmp_path / "part.npz")
    loaded = th.Path.load(tmp_path / "part.npz", problem)
    for field in ("C", "coef", "intercept", "primal", "dual", "gap", "screened"):
        np.testing.assert_array_equal(getattr(loaded, field), getattr(part, field))
    solved: list[object] = []
    whole = solve(problem, start=loaded, callback=lambda *seen: solved.append(seen))
    assert len(solved) == len(GRID) - 4
    np.testing.assert_array_equal(whole.coef[:4], part.coef)
    assert_same(solve(problem), whole)


def test_path_of_another_problem_is_refused(problem: th.Problem, tmp_path: Path) -> None:
    solve(problem, GRID[:2]).save(tmp_path / "part.npz")
    other = th.Problem.svm(*data.classes(rows=50))
    with pytest.raises(ValueError, match=r"(?i)problem|rows"):
        th.Path.load(tmp_path / "part.npz", other)


def test_table_has_one_record_per_point(problem: th.Problem) -> None:
    assert len(solve(problem).table()) == len(GRID)


def test_models_share_no_state() -> None:
    """Two paths from one problem are bitwise equal, whatever was solved in between."""
    model = MODELS["absolute"]
    problem = model.build(*model.data())
    first = solve(problem)
    solve(problem, GRID[::-1] * 3, solver="descent")
    np.testing.assert_array_equal(solve(problem).coef, first.coef)


def test_ctrl_c_while_a_loop_hands_over_its_results() -> None:
    problem = th.Problem.svm([[1.0], [-2.0], [0.5]], [1, -1, -1])
    seen: list[th.Solution] = []

    def interrupted(solution: th.Solution) -> None:
        seen.append(solution)
        if len(seen) == 2:
            raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    with pytest.raises(th.PathInterrupted) as caught:
        th.solve_path(problem, [0.1, 1.0, 10.0], callback=interrupted)
    assert len(caught.value.path) == 2
    with pytest.raises(SystemError, match="something else"):
        th.solve_path(problem, [0.1], callback=lambda solution: fail())


def fail() -> None:
    raise SystemError("something else")
