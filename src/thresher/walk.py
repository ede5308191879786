"""The loop: screen, solve, certify, carry on to the next C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from time import perf_counter
from typing import ParamSpec, TypeVar

import numpy as np

from thresher.fates import ReducedProblem
from thresher.grid import Origin
from thresher.point import Point
from thresher.problem import Problem
from thresher.rows.base import Floats
from thresher.rules import NoRule, Rule
from thresher.sharpness import sharpened
from thresher.solution import Solution
from thresher.solvers import Solver, Start
from thresher.status import Status

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# A step in C by no more than this factor lets the last two points predict the next.
NEAR = 2.0
# Without a step before it, the next point is looked for half-way along the ray, which is the furthest it can
# be, within this share of the whole way.
TURNED = 0.2
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
    """Walks upward in C. What evolves: the last three certified points, and what is known of the rows."""

    problem: Problem
    rule: Rule
    solver: Solver
    tol: float
    origin: Origin
    final: Point | float
    trail: list[Point] = field(default_factory=list)
    timed: Timed = field(default_factory=Timed)

    def __post_init__(self) -> None:
        self.ledger = self.origin.ledger.copy()

    def advance_to(self, C: float) -> Solution:
        """Return the solution at C, which must not be smaller than the last."""
        if C <= self.origin.C:
            return self._on_ray(C)
        if not self.trail or self.trail[-1].C < self.origin.C:
            self._on_ray(self.origin.C)
        point = self.trail[-1]
        reduced = self.timed("rule", self.rule.screen, self.ledger, point, C, self.last)
        settled = self._settled(point, C)
        if settled is not None:
            return self.record(settled, reduced, 0, Status.SETTLED)
        answer = self.timed("solver", self.solver.solve, reduced, C, self._predict(C), self.tol)
        solved = self.timed("certificate", reduced.certify, answer.w, answer.rows, answer.theta, C)
        return self.record(solved, reduced, answer.iterations, Status.CONVERGED)

    def _on_ray(self, C: float) -> Solution:
        """Return the solution at a C up to the origin's, where nothing is to be solved."""
        origin = self.origin
        pair = origin.w_at(C), origin.undecided, origin.theta
        return self.record(
            self.timed("certificate", self.ledger.certify, *pair, C), None, 0, Status.CLOSED_FORM
        )

    def last(self) -> Point:
        """Return the point at the largest C of the path, solved without a rule when first asked for."""
        if not isinstance(self.final, Point):
            walk = Walk(self.problem, NoRule(), self.solver, self.tol, self.origin, self.final)
            self.final = walk.advance_to(self.final).point
        return self.final

    def _predict(self, C: float) -> Start:
        """Continue the way from point to point as far as that has been a good guess.

        The path is piecewise linear in C, with more pieces than there are points: how much it keeps of its
        direction differs from problem to problem, and shows in the last step.
        """
        point = self.trail[-1]
        if C > NEAR * point.C:
            return Start(point, point.w)
        if point.C <= self.origin.C:
            w = self.origin.w_at(C)
            return Start(point, w, w - point.w)
        steps = [step_of(before, after) for before, after in pairwise(self.trail)]
        if not steps or steps[-1] is None:
            ray = (C / point.C - 1.0) * (point.w - self.origin.rest)
            return Start(point, point.w + 0.5 * ray, TURNED * ray)
        first, last, kept = steps[0], steps[-1], 1.0
        error = last
        if len(steps) > 1 and first is not None:
            square = float(first @ first)
            kept = min(max(float(first @ last) / square, 0.0), 1.0) if square > 0.0 else 0.0
            error = last - kept * first
        return Start(point, point.w + (C - point.C) * kept * last, (C - point.C) * error, self.trail[-2])

    def _settled(self, point: Point, C: float) -> Point | None:
        """Return the last solution for C too, where no row has a loss and the certificate agrees."""
        loss = point.primal - 0.5 * float(point.certificate.w @ point.certificate.w)
        if loss > NO_LOSS * point.primal:
            return None
        again = self.ledger.certify(point.w, point.kinks, point.theta * (point.C / C), C)
        return again if again.gap_bound <= self.tol else None

    def remember(self, point: Point) -> None:
        """Go on from ``point``, unless a solver broke down there."""
        if np.isfinite(point.certificate.gap_bound):
            self.trail = [*self.trail[-2:], point]

    def record(
        self, point: Point, reduced: ReducedProblem | None, iterations: int, status: Status
    ) -> Solution:
        """Keep the point for the next C and say how it came about; all fates are known on the ray."""
        shares = self.ledger.shares(point) if reduced is None else reduced.shares
        self.ledger.accept(point)
        if point.gap <= self.tol < point.gap_bound:
            point = sharpened(self.problem, point)
        self.remember(point)
        if not point.gap_bound <= self.tol:  # NaN is not within tol either
            status = Status.ROUNDING if point.gap <= self.tol else Status.NOT_CONVERGED
        return Solution(self.problem, point, status, shares, iterations, self.timed.lap())


def step_of(before: Point, after: Point) -> Floats | None:
    """Return how w moved per C between two points; None where they say nothing about the next."""
    way = after.C - before.C
    return (after.w - before.w) / way if SAME * after.C < way <= (NEAR - 1.0) * before.C else None
