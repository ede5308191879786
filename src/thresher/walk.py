"""The loop: screen, solve, certify, carry on to the next C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import ParamSpec, TypeVar

import numpy as np

from thresher.fates import ReducedProblem
from thresher.grid import Origin
from thresher.point import Point
from thresher.problem import Problem
from thresher.rules import NoRule, Rule
from thresher.solution import Solution
from thresher.solvers import Solver, Start
from thresher.status import Status

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# A step in C by no more than this factor lets the last two points predict the next.
NEAR = 2.0
# Two points whose C differ by no more than this share of it are too close for a line through them.
SAME = 1e-6
# Losses below this share of the primal value count as zero when a path is tried for having settled.
NO_LOSS = 1e-9


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
        """Return the solution at C, which must not be smaller than the last."""
        if C <= self.origin.C:
            return self.record(self.timed("solver", self.origin.point_at, C), None, 0, Status.CLOSED_FORM)
        if not self.trail or self.trail[-1].C < self.origin.C:
            self.remember(self.timed("solver", self.origin.point_at, self.origin.C))
        point = self.trail[-1]
        reduced = self.timed("rule", self.rule.screen, self.problem, point, C, self.last)
        settled = self._settled(point, C)
        if settled is not None:
            return self.record(settled, reduced, 0, Status.SETTLED)
        answer = self.timed("solver", self.solver.solve, reduced, C, self._predict(C), self.tol)
        solved = self.timed("certificate", reduced.certify, answer.w, answer.theta, C)
        return self.record(solved, reduced, answer.iterations, Status.CONVERGED)

    def last(self) -> Point:
        """Return the point at the largest C of the path, solved without a rule when first asked for."""
        if not isinstance(self.final, Point):
            walk = Walk(self.problem, NoRule(), self.solver, self.tol, self.origin, self.final)
            self.final = walk.advance_to(self.final).point
        return self.final

    def _predict(self, C: float) -> Start:
        """Continue the line through the last two points; the path is piecewise linear in C."""
        point = self.trail[-1]
        if point.C <= self.origin.C:
            return Start(point, self.origin.w_at(C), near=C <= NEAR * point.C)
        before = self.trail[0]
        if point.C > NEAR * before.C or point.C - before.C <= SAME * point.C:
            return Start(point, point.w, near=False)
        secant = (point.w - before.w) / (point.C - before.C)
        return Start(point, point.w + (C - point.C) * secant, near=C <= NEAR * point.C)

    def _settled(self, point: Point, C: float) -> Point | None:
        """Return the last solution for C too, where no row has a loss and the certificate agrees."""
        loss = point.primal - 0.5 * float(point.certificate.w @ point.certificate.w)
        if loss > NO_LOSS * point.primal:
            return None
        theta = point.theta_of(self.problem) * (point.C / C)
        again = self.problem.everything().certify(point.w, theta, C)
        return again if again.gap_bound <= self.tol else None

    def remember(self, point: Point) -> None:
        """Go on from ``point``, unless a solver broke down there."""
        if np.isfinite(point.gap_bound):
            self.trail = [*self.trail[-1:], point]

    def record(
        self, point: Point, reduced: ReducedProblem | None, iterations: int, status: Status
    ) -> Solution:
        """Keep the point for the next C and say how it came about."""
        self.remember(point)
        if not point.gap_bound <= self.tol:  # NaN is not within tol either
            status = Status.ROUNDING if point.gap <= self.tol else Status.NOT_CONVERGED
        shares = reduced.shares if reduced is not None else closed_form_shares(self.problem, point)
        return Solution(self.problem, point, status, shares, iterations, self.timed.lap())


def closed_form_shares(problem: Problem, point: Point) -> tuple[float, float]:
    """Return the shares of rows below and above their kink on the ray that starts the path."""
    scores = problem.scores(point.w)
    return float(np.mean(scores < 0.0)), float(np.mean(scores > 0.0))
