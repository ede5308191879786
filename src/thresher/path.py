"""The path driver: one certified solution for every C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from thresher import archive, validation
from thresher.fates import Fates, Reduced
from thresher.grid import Origin, automatic, find_origin
from thresher.point import Point
from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.rules import NoRule, Rule, find_rule
from thresher.solvers import Solver, Start, find_solver
from thresher.status import Status

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# Losses below this share of the primal value count as zero when a path is tried for having settled.
NO_LOSS = 1e-9


@dataclass(frozen=True, eq=False)
class Solution:
    """The solution at one C, with its proof."""

    problem: Problem
    point: Point
    status: Status
    screened: tuple[float, float]
    iterations: int
    seconds: dict[str, float]

    @property
    def C(self) -> float:
        """The regularisation; it multiplies the sum of the losses."""
        return self.point.C

    @property
    def w(self) -> Floats:
        """All weights, the penalised intercept last."""
        return self.point.w

    @property
    def coef(self) -> Floats:
        """One weight a feature."""
        return self.w[: self.problem.features]

    @property
    def intercept(self) -> float:
        """The intercept, 0 in a model without."""
        return float(self.w[self.problem.features :].sum())

    @property
    def primal(self) -> float:
        """The primal value P(w)."""
        return self.point.primal

    @property
    def dual(self) -> float:
        """The dual value D(theta)."""
        return self.point.dual

    @property
    def gap(self) -> float:
        """The relative duality gap, (primal - dual) / max(|primal|, tiny)."""
        return self.point.gap

    @property
    def certificate(self) -> Any:
        """What proves where the optimum is."""
        return self.point.certificate

    @cached_property
    def theta(self) -> Floats:
        """The dual variables of all rows."""
        return self.point.theta_of(self.problem)

    @cached_property
    def fates(self) -> Fates:
        """What the certificate proves of every row at this C: -1 LOWER, 0 FREE, +1 UPPER."""
        return self.problem.screen(self.certificate.ball(self.C)).fates


class PathInterrupted(KeyboardInterrupt):
    """Ctrl-C during a path; ``path`` holds the points that were finished, to resume from."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"interrupted after {len(path)} finished values of C; see .path")
        self.path = path


@dataclass(frozen=True, eq=False)
class Path:
    """Certified solutions over a grid of C, in the order in which C was given."""

    problem: Problem
    solutions: list[Solution]
    rule: Rule
    solver: Solver
    tol: float

    def __len__(self) -> int:
        return len(self.solutions)

    def __getitem__(self, position: int) -> Solution:
        return self.solutions[position]

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def _column(self, name: str) -> Floats:
        return np.array([getattr(solution, name) for solution in self.solutions], dtype=np.float64)

    @property
    def C(self) -> Floats:
        """The values of C."""
        return self._column("C")

    @property
    def coef(self) -> Floats:
        """One row of weights for every C."""
        return self._column("coef").reshape(len(self), self.problem.features)

    @property
    def intercept(self) -> Floats:
        """One intercept for every C."""
        return self._column("intercept")

    @property
    def primal(self) -> Floats:
        """The primal values."""
        return self._column("primal")

    @property
    def dual(self) -> Floats:
        """The dual values."""
        return self._column("dual")

    @property
    def gap(self) -> Floats:
        """The relative duality gaps."""
        return self._column("gap")

    @property
    def screened(self) -> Floats:
        """The shares of rows proven LOWER and UPPER before each solve."""
        return self._column("screened").reshape(len(self), 2)

    @property
    def status(self) -> list[Status]:
        """How each solution came about."""
        return [solution.status for solution in self.solutions]

    def at(self, C: float) -> Solution:
        """Return the certified solution at any C inside the range of the path.

        Examples
        --------
        >>> import thresher as th
        >>> path = th.lad_path([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0], C=[0.01, 1.0])
        >>> bool(path.at(0.1).gap <= path.tol)
        True
        """
        value = float(validation.grid(C)[0])
        ordered = sorted(self.solutions, key=lambda solution: solution.C)
        if not ordered or value < ordered[0].C or value > ordered[-1].C:
            covered = f"[{ordered[0].C:g}, {ordered[-1].C:g}]" if ordered else "an empty path"
            raise ValueError(f"C={value:g} lies outside {covered}; solve a path that covers it")
        below = [solution for solution in ordered if value >= solution.C]
        if value == below[-1].C:
            return below[-1]
        walk = Walk(
            self.problem,
            self.rule,
            self.solver,
            self.tol,
            find_origin(self.problem),
            ordered[-1].point,
        )
        walk.trail = [solution.point for solution in below[-2:]]
        return walk.advance_to(value)

    def table(self) -> Any:
        """Return one record for every C: a DataFrame where pandas is installed, else a list of dicts."""
        records = [
            {
                "C": solution.C,
                "primal": solution.primal,
                "dual": solution.dual,
                "gap": solution.gap,
                "lower": solution.screened[0],
                "upper": solution.screened[1],
                "iterations": solution.iterations,
                "seconds": solution.seconds["total"],
                "status": str(solution.status),
            }
            for solution in self.solutions
        ]
        try:
            import pandas
        except ImportError:
            return records
        return pandas.DataFrame.from_records(records)

    def plot(self) -> Any:
        """Draw coefficients and proven shares along C; returns the matplotlib figure."""
        from thresher.plot import plot_path

        return plot_path(self)

    def save(self, file: str | FilePath) -> None:
        """Write the path, without the data, to an .npz file that `Path.load` reads."""
        archive.save(file, self.problem, self.tol, self.solutions)

    @classmethod
    def load(
        cls,
        file: str | FilePath,
        problem: Problem,
        *,
        rule: str | Rule = "dvi",
        solver: str | Solver = "auto",
    ) -> Path:
        """Read a path back for the problem it was solved for.

        Examples
        --------
        >>> import tempfile, thresher as th
        >>> problem = th.Problem.lad([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])
        >>> path = th.solve_path(problem, [0.01, 1.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path.save(f"{folder}/path.npz")
        ...     again = th.Path.load(f"{folder}/path.npz", problem)
        >>> bool((again.coef == path.coef).all())
        True
        """
        tol, records = archive.load(file, problem)
        solutions = [
            Solution(problem, point, Status(status), screened, iterations, seconds)
            for point, status, screened, iterations, seconds in records
        ]
        return cls(problem, solutions, find_rule(rule), find_solver(solver, problem), tol)


class Timed:
    """A call whose seconds add up until somebody asks."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(
        self,
        name: str,
        call: Callable[Parameters, Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        begin = perf_counter()
        try:
            return call(*args, **kwargs)
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - begin

    def lap(self) -> dict[str, float]:
        """Return the seconds since the last lap, by name and in total."""
        seconds, self.seconds = self.seconds, {}
        return {**seconds, "total": sum(seconds.values())}


@dataclass(eq=False)
class Walk:
    """Walks upward in C. ``trail`` holds the last two certified points, which is all that evolves."""

    problem: Problem
    rule: Rule
    solver: Solver
    tol: float
    origin: Origin
    final: Point | float
    trail: list[Point] = field(default_factory=list)
    timed: Timed = field(default_factory=Timed)

    def advance_to(self, C: float) -> Solution:
        """Return the solution at the next C."""
        if C <= self.origin.C:
            return self._record(self.timed("solver", self.origin.point_at, C), None, 0, Status.CLOSED_FORM)
        if not self.trail:
            self._remember(self.timed("solver", self.origin.point_at, self.origin.C))
        point = self.trail[-1]
        reduced = self.timed("rule", self.rule.screen, self.problem, point, C, self.last)
        settled = self._settled(point, C)
        if settled is not None:
            return self._record(settled, reduced, 0, Status.SETTLED)
        answer = self.timed("solver", self.solver.solve, reduced, C, self._predict(C), self.tol)
        solved = self.timed("certificate", reduced.certify, answer.w, answer.theta, C)
        return self._record(solved, reduced, answer.iterations, Status.CONVERGED)

    def last(self) -> Point:
        """Return the point at the largest C of the path, solved without a rule when first asked for."""
        if not isinstance(self.final, Point):
            walk = Walk(self.problem, NoRule(), self.solver, self.tol, self.origin, self.final)
            self.final = walk.advance_to(self.final).point
        return self.final

    def _predict(self, C: float) -> Start:
        """Continue the line through the last two points; the path is piecewise linear in C."""
        point = self.trail[-1]
        if len(self.trail) == 1:
            return Start(point, point.w * (C / point.C))
        before = self.trail[-2]
        return Start(point, point.w + (C - point.C) / (point.C - before.C) * (point.w - before.w))

    def _settled(self, point: Point, C: float) -> Point | None:
        """Return the last solution for C too, where no row has a loss and the certificate agrees."""
        loss = point.primal - 0.5 * float(point.w @ point.w)
        if loss > NO_LOSS * point.primal:
            return None
        theta = point.theta_of(self.problem) * (point.C / C)
        again = self.problem.everything().certify(point.w, theta, C)
        return again if again.gap <= self.tol else None

    def _remember(self, point: Point) -> None:
        self.trail = [*self.trail[-1:], point]

    def _record(self, point: Point, reduced: Reduced | None, iterations: int, status: Status) -> Solution:
        """Keep the point for the next C and say how it came about."""
        self._remember(point)
        if not point.gap <= self.tol:  # NaN is not within tol either
            status = Status.NOT_CONVERGED
        shares = reduced.shares if reduced is not None else closed_form_shares(self.problem, point)
        return Solution(self.problem, point, status, shares, iterations, self.timed.lap())


def closed_form_shares(problem: Problem, point: Point) -> tuple[float, float]:
    """Return the shares of rows below and above their kink on the ray that starts the path."""
    scores = problem.scores(point.w)
    return float(np.mean(scores < 0.0)), float(np.mean(scores > 0.0))


def solve_path(
    problem: Problem,
    C: ArrayLike | None = None,
    *,
    rule: str | Rule = "dvi",
    solver: str | Solver = "auto",
    tol: float = 1e-6,
    callback: Callable[[Solution], None] | None = None,
    start: Path | None = None,
) -> Path:
    """Solve ``problem`` for every C.

    Parameters
    ----------
    C : array of float, optional
        The values wanted, in any order; by default a geometric grid from where the path begins.
    rule, solver : str or object
        "dvi", "dvi*", "ssnsv", "essnsv" or "none"; "newton", "descent" or "auto".
    tol : float
        Bound on the relative duality gap of every point; a point that misses it says so in ``status``.
    callback : callable, optional
        Called with every finished `Solution`, in ascending order of C.
    start : Path, optional
        A path of the same problem to resume: its points within ``tol`` are taken over.

    Raises
    ------
    PathInterrupted
        On Ctrl-C; its ``path`` holds the finished points.

    Examples
    --------
    >>> import thresher as th
    >>> problem = th.Problem.svm([[2.0, 1.0], [-1.0, 0.5], [0.5, 0.3]], [1, -1, 1])
    >>> path = th.solve_path(problem, [0.1, 1.0, 10.0])
    >>> path.coef.shape, bool((path.gap <= 1e-6).all())
    ((3, 2), True)
    """
    chosen_rule, chosen_solver = find_rule(rule), find_solver(solver, problem)
    chosen_rule.check(problem)
    tol = validation.tolerance(tol)
    wanted = None if C is None else validation.grid(C)
    solved = _taken_over(start, problem, tol)
    origin = find_origin(problem)
    wanted = automatic(origin) if wanted is None else wanted
    walk = Walk(problem, chosen_rule, chosen_solver, tol, origin, float(wanted.max()))
    finished: dict[float, Solution] = {}

    def path() -> Path:
        solutions = [finished[value] for value in wanted.tolist() if value in finished]
        return Path(problem, solutions, chosen_rule, chosen_solver, tol)

    try:
        for value in np.unique(wanted).tolist():
            if value in solved:
                walk.trail = [*walk.trail[-1:], solved[value].point]
                finished[value] = solved[value]
                continue
            solution = walk.advance_to(value)
            finished[value] = solution
            if callback is not None:
                callback(solution)
    except KeyboardInterrupt:
        raise PathInterrupted(path()) from None
    return path()


def _taken_over(start: Path | None, problem: Problem, tol: float) -> dict[float, Solution]:
    """Return the points of an earlier path that are good enough, by C."""
    if start is None:
        return {}
    archive.require_same(start.problem, problem)
    return {solution.C: solution for solution in start.solutions if solution.gap <= tol}
