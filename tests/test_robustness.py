"""What happens when a solver, a file or a user misbehaves: nothing wrong is certified, nothing is lost."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import thresher as th
from support import data
from thresher import ledger as ledger_module
from thresher.grid import find_origin
from thresher.loops.compiled import BLOCK, gamma
from thresher.solvers import Answer, Descent, Newton
from thresher.solvers.working import Working
from thresher.walk import Walk

GRID = np.geomspace(1e-2, 10.0, 6)


class Outside(Newton):
    """Answers with theta far outside its box."""

    def solve(self, reduced, C, start, tol):  # type: ignore[no-untyped-def]
        answer = super().solve(reduced, C, start, tol)
        return Answer(answer.w, answer.rows, 3.0 * answer.theta, answer.iterations)


class Flaky(Newton):
    """Breaks down once."""

    def solve(self, reduced, C, start, tol):  # type: ignore[no-untyped-def]
        answer = super().solve(reduced, C, start, tol)
        if GRID[2] == C:
            return Answer(np.full_like(answer.w, np.nan), answer.rows, answer.theta, answer.iterations)
        return answer


def problem() -> th.Problem:
    return th.Problem.lad(*data.regression())


def test_theta_outside_the_box_is_not_believed() -> None:
    path = th.solve_path(problem(), GRID, solver=Outside())
    best = th.solve_path(problem(), GRID, tol=1e-10)
    assert not any(status.met for status in path.status)
    assert np.all(path.dual <= best.primal * (1 + 1e-9))


def test_one_breakdown_stays_one() -> None:
    path = th.solve_path(problem(), GRID, solver=Flaky())
    assert [status.met for status in path.status] == [True, True, False, True, True, True]


def test_rounding_is_counted_against_the_gap() -> None:
    """Columns of 1e5, three rows: P is 1e-11, and the scores' rounding times C is far more."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3, 4)) * [1e5, 1e5, 1e4, 1e5]
    path = th.svr_path(X, rng.normal(size=3), [1e6], tol=1e-10)
    assert not path[0].status.met
    assert path.gap_bound[0] > 1e-10


def test_gap_below_tol_with_rounding_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = th.solve_path(problem(), [1.0], tol=1e-9)
    point = solved[0].point
    blurred = replace(point, certificate=replace(point.certificate, rounding=1e-3 * point.primal))
    monkeypatch.setattr("thresher.walk.sharpened", lambda problem, point: point)
    origin = find_origin(solved.problem, Newton(), lowest=1.0, tol=1e-9)
    walk = Walk(solved.problem, solved.rule, solved.solver, 1e-9, origin, 1.0)
    status = walk.record(blurred, walk.ledger.everything(), 0, th.Status.CONVERGED).status
    assert status is th.Status.ROUNDING
    assert not status.met
    assert "gap_bound" in status.advice


def test_every_status_explains_itself() -> None:
    assert all(len(status.advice) > 20 for status in th.Status)


def test_rows_without_offset_are_solved_by_the_solver_asked_for() -> None:
    X = sparse.random(3000, 5000, density=1e-3, format="csr", rng=np.random.default_rng(0))
    y = (np.arange(3000) % 2).astype(float)
    assert th.lad_path(X, y, [0.1], solver=Descent(), tol=1e-3)[0].status.met


def test_auto_stays_within_memory() -> None:
    column = np.zeros(400, dtype=np.int32)
    wide = sparse.csr_array((np.ones(400), column, np.arange(401)), shape=(400, 2_000_000))
    narrow = th.Problem(wide, 1.0, 0.0, 1.0)
    assert th.solvers.find_solver("auto", narrow).name == "conjugate"
    assert th.solvers.find_solver("auto", problem()).name == "newton"


def test_dense_working_rows_beyond_memory_are_refused() -> None:
    with pytest.raises(MemoryError, match="conjugate"):
        th.solve_path(problem(), GRID, solver=Newton(max_memory=10.0))


def test_at_between_duplicates() -> None:
    path = th.solve_path(problem(), [0.01, 0.1, 0.1, 1.0])
    assert path.at(0.5).status.met
    with pytest.raises(ValueError, match="one number"):
        path.at([0.5, 0.7])  # type: ignore[arg-type]


def test_interrupted_path_keeps_what_it_started_from() -> None:
    def stop(solution: th.Solution) -> None:
        raise KeyboardInterrupt

    first = th.solve_path(problem(), [5.0, 10.0])
    with pytest.raises(th.PathInterrupted) as stopped:
        th.solve_path(problem(), [0.1, 0.5, 5.0, 10.0], start=first, callback=stop)
    assert stopped.value.path.C.tolist() == [0.1, 5.0, 10.0]


def test_refined_grid_goes_on_from_known_points() -> None:
    coarse = th.solve_path(problem(), GRID)
    fine = th.solve_path(problem(), np.geomspace(1e-2, 10.0, 11), start=coarse)
    assert all(fine[2 * k].point is coarse[k].point for k in range(6))
    assert all(status.met for status in fine.status)


@pytest.mark.parametrize("factor", [1.0 + 5e-7, 1e-11])
def test_nearly_the_same_problem_is_another(factor: float) -> None:
    X, y = data.regression()
    path = th.lad_path(X, y, GRID)
    with pytest.raises(ValueError, match="another problem"):
        th.lad_path(X, factor * y, GRID, start=path)


def test_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = th.solve_path(problem(), GRID)
    file = tmp_path / "path.npz"
    path.save(file)
    before = file.read_bytes()

    def fail(stream: object, **arrays: object) -> None:
        stream.write(b"half")  # type: ignore[attr-defined]
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="space"):
        path.save(file)
    assert file.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["path.npz"]


def test_damage_is_noticed_or_harmless(tmp_path: Path) -> None:
    path = th.solve_path(problem(), GRID)
    file = tmp_path / "path.npz"
    path.save(file)
    whole = file.read_bytes()
    refused = 0
    for position in range(0, len(whole), max(1, len(whole) // 60)):
        file.write_bytes(whole[:position] + bytes([whole[position] ^ 255]) + whole[position + 1 :])
        try:
            again = th.Path.load(file, path.problem)
        except ValueError:
            refused += 1
        else:
            np.testing.assert_array_equal(again.coef, path.coef)
    assert refused > 10


def test_rule_and_solver_come_back(tmp_path: Path) -> None:
    svm = th.Problem.svm(*data.classes())
    th.solve_path(svm, GRID, rule="essnsv", solver="descent").save(tmp_path / "path.npz")
    again = th.Path.load(tmp_path / "path.npz", svm)
    assert (again.rule.name, again.solver.name) == ("essnsv", "descent")


def test_ties_that_stall_are_pulled_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without patience every tie counts as a stall; the answer is the same."""
    monkeypatch.setattr("thresher.solvers.newton.IDLE_STEPS", -10_000)
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(60, 3)).astype(float)
    path = th.lad_path(X, X @ [1.0, -1.0, 2.0] + rng.integers(-1, 2, size=60), GRID, tol=1e-9)
    assert all(status.met for status in path.status)


def test_narrowed_problem_has_the_same_optimum() -> None:
    rng = np.random.default_rng(0)
    A, g = rng.normal(size=(10, 3)), rng.normal(size=10)
    wide = Working(A, np.ones(3), np.zeros(3), np.ones(3), g, C=1.0)
    narrow = wide.narrowed()
    w, theta = rng.normal(size=4), np.array([0.0, 0.5, 1.0])
    assert narrow.A.shape == (4, 3)
    assert wide.gap(narrow.outside(w), theta) == pytest.approx(narrow.gap(w, theta))


@pytest.mark.parametrize("density", [0.02, 0.05])
def test_sparse_working_rows_can_be_pivoted(density: float) -> None:
    rng = np.random.default_rng(0)
    X = sparse.random(200, 30, density, format="csr", random_state=rng)
    y = np.where(rng.random(200) < 0.5, -1.0, 1.0)
    assert all(solution.status.met for solution in th.svm_path(X, y, GRID, solver=Newton()))


@pytest.mark.parametrize("solver", ["newton", "conjugate", "descent"])
@pytest.mark.parametrize("level", [1e6, 1e9])
def test_targets_far_from_zero_with_a_free_intercept(solver: str, level: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = level + X @ rng.normal(size=4) + rng.laplace(size=300)
    path = th.lad_path(X, y, [0.01, 0.02], intercept="free", solver=solver, tol=1e-5)
    near = th.lad_path(X, y - level, [0.01, 0.02], intercept="free", tol=1e-10)
    assert all(solution.status.met for solution in path)
    np.testing.assert_allclose(path.primal, near.primal, rtol=2e-5)


@pytest.mark.parametrize("scale", [1e-60, 1e-10, 1e60])
def test_columns_of_any_scale(scale: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0.0, 1.0, -1.0)
    grid = np.geomspace(1e-2, 10.0, 8)
    plain = th.svm_path(X, y, grid, tol=1e-10)
    moved = th.svm_path(X * scale, y, grid / scale**2, tol=1e-10)
    assert all(solution.status.met for solution in moved)
    np.testing.assert_allclose(moved.primal * scale**2, plain.primal, rtol=1e-9)


def test_sums_keep_the_low_bits_of_a_compensated_sum() -> None:
    rows = 2_000_000
    ledger = th.Ledger(th.Problem(np.full((rows, 1), 0.3), 0.0, 0.0, 1.0), np.ones(rows, dtype=np.int8))
    exact = Fraction(0.3) * rows
    bound = Fraction(gamma(BLOCK + 8)) * exact
    assert abs(Fraction(float(ledger.rest().image[0])) - exact) <= bound


def test_an_interrupted_turn_leaves_no_wrong_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = th.Ledger(problem())
    ledger.rest()
    turn = ledger_module.looks.turn

    def interrupted(*given: object) -> None:
        turn(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(ledger_module.looks, "turn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ledger.restrict(np.ones(ledger.sides.size, dtype=np.int8))
    fresh = th.Ledger(problem(), ledger.sides.copy())
    np.testing.assert_allclose(ledger.rest().image, fresh.rest().image)


def test_a_primal_value_that_all_but_cancels_is_not_trusted() -> None:
    rng = np.random.default_rng(0)
    y = np.sort(1e10 + 1e-3 * rng.normal(size=20_000))
    path = th.lad_path(np.zeros((20_000, 1)), y, [1.0], intercept="free")
    point = path[0].point
    exact = float(np.abs(y - path[0].intercept).sum())
    assert abs(point.primal - exact) <= point.primal_error


@pytest.mark.parametrize("intercept", ["penalised", "free"])
def test_a_rare_class_with_most_rows_at_the_kink(intercept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A classifier that says no to all is the optimum: every row of the larger class is at its kink."""
    monkeypatch.setattr("thresher.solvers.newton.PIVOT_ROWS", 2000)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 5))
    y = np.where(rng.random(60_000) < 0.01, 1.0, -1.0)
    path = th.svm_path(X, y, [1.0, 1.3], intercept=intercept, tol=1e-6)
    assert all(solution.status.met for solution in path)
    np.testing.assert_allclose(path.primal, 2.0 * path.C * np.sum(y > 0.0), rtol=1e-2)
