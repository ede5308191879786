"""Paths: one certified solution for every C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from thresher import archive, validation
from thresher.grid import automatic, find_origin, outset
from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.rules import RULES, Rule, find_rule
from thresher.solution import Solution
from thresher.solvers import SOLVERS, Solver, find_solver
from thresher.status import Status
from thresher.walk import Walk

if TYPE_CHECKING:
    from thresher.report import Report


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
    def gap_bound(self) -> Floats:
        """The relative duality gaps with every rounding counted against them."""
        return self._column("gap_bound")

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
        value = validation.single(validation.grid(C), "C")
        ordered = [solution for _, solution in sorted({s.C: s for s in self.solutions}.items())]
        if not ordered or value < ordered[0].C or value > ordered[-1].C:
            covered = f"[{ordered[0].C:g}, {ordered[-1].C:g}]" if ordered else "an empty path"
            raise ValueError(f"C={value:g} lies outside {covered}; solve a path that covers it")
        below = [solution for solution in ordered if value >= solution.C]
        if value == below[-1].C:
            return below[-1]
        origin = find_origin(self.problem, self.solver, ordered[0].C, self.tol)
        walk = Walk(self.problem, self.rule, self.solver, self.tol, origin, ordered[-1].point)
        for solution in below[-2:]:
            walk.remember(solution.point)
        return walk.advance_to(value)

    def table(self) -> Any:
        """Return one record for every C: a DataFrame where pandas is installed, else a list of dicts."""
        records = [solution.record() for solution in self.solutions]
        try:
            import pandas
        except ImportError:
            return records
        return pandas.DataFrame.from_records(records)

    def plot(self) -> Any:
        """Draw coefficients and proven shares along C; returns the matplotlib figure."""
        from thresher.plot import plot_path

        return plot_path(self)

    def report(
        self,
        *,
        title: str | None = None,
        names: Sequence[str] | None = None,
        scores: ArrayLike | None = None,
        chosen: float | None = None,
    ) -> Report:
        """Return one self-contained HTML page to explore the path; ``.save("path.html")`` writes it.

        Parameters
        ----------
        title : str, optional
            What the page is called.
        names : sequence of str, optional
            Names of the columns of X.
        scores : array of shape (folds, values of C), optional
            Scores of a cross-validation along ``self.C``, as ``scores_`` of the CV estimators.
        chosen : float, optional
            The C that was chosen by them.

        Examples
        --------
        >>> import thresher as th
        >>> path = th.lad_path([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0], C=[0.01, 1.0])
        >>> path.report(title="three rows").html[:15]
        '<!doctype html>'
        """
        from thresher.report import report_path

        return report_path(self, title=title, names=names, scores=scores, chosen=chosen)

    def save(self, file: str | FilePath) -> None:
        """Write the path, without the data, to an .npz file that `Path.load` reads."""
        archive.save(file, self)

    @classmethod
    def load(cls, file: str | FilePath, problem: Problem) -> Path:
        """Read a path back for the problem it was solved for.

        Rule and solver are those of the saved path, with their default settings; where they were objects
        of the user's own, "dvi" and "auto" take their place.

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
        saved = archive.load(file, problem)
        solutions = [
            Solution(problem, point, Status(status), screened, iterations, seconds)
            for point, status, screened, iterations, seconds in saved.records
        ]
        rule = find_rule(saved.rule if saved.rule in RULES else "dvi")
        solver = find_solver(saved.solver if saved.solver in SOLVERS else "auto", problem)
        return cls(problem, solutions, rule, solver, saved.tol)


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
        "dvi", "dvi*", "ssnsv", "essnsv" or "none"; "newton", "conjugate", "descent" or "auto"; or an object
        of one's own, see `Rule` and `Solver`.
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
    wanted = np.empty(0) if C is None else validation.grid(C)
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be callable, got {callback!r}")
    finished = _taken_over(start, problem, tol)
    taken = set(finished)

    def path() -> Path:
        solutions = [finished[value] for value in wanted.tolist() if value in finished]
        return Path(problem, solutions, chosen_rule, chosen_solver, tol)

    try:
        wanted = automatic(outset(problem)) if C is None else wanted
        origin = find_origin(problem, chosen_solver, float(wanted.min()), tol)
        walk = Walk(problem, chosen_rule, chosen_solver, tol, origin, float(wanted.max()))
        for value in sorted(taken.union(wanted.tolist())):
            if value in taken:
                walk.remember(finished[value].point)
                continue
            finished[value] = walk.advance_to(value)
            if callback is not None:
                callback(finished[value])
    except (KeyboardInterrupt, SystemError) as error:
        if not _is_interrupt(error):
            raise
        raise PathInterrupted(path()) from None
    return path()


def _is_interrupt(error: BaseException) -> bool:
    """Say whether Ctrl-C was behind it: while Numba hands results over, it comes as a SystemError."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)


def _taken_over(start: Path | None, problem: Problem, tol: float) -> dict[float, Solution]:
    """Return the points of an earlier path that are good enough, by C."""
    if start is None:
        return {}
    if not isinstance(start, Path):
        raise TypeError(f"start must be a Path, got {type(start).__name__}")
    archive.require_same(start.problem, problem)
    return {solution.C: solution for solution in start.solutions if solution.gap_bound <= tol}
