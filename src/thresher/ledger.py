"""What is known of every row on the way along C: where it was last seen, and where its theta rests."""

from __future__ import annotations

import math
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.anchor import anchor_of
from thresher.balance import balanced
from thresher.certificate import Certificate
from thresher.fates import FREE, LOWER, UPPER, Fates, ReducedProblem
from thresher.loops import looks, passes
from thresher.loops.compiled import BLOCK, gamma
from thresher.loops.survey import survey
from thresher.point import Point
from thresher.regions import length
from thresher.sums import Rest, Share, Sums

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.regions import Ball
    from thresher.rows.base import Floats, Indices


# Rows at a time where something is made for each of them in passing.
CHUNK = 1 << 16


class Found(NamedTuple):
    """What the last look at w showed: the point it certified, and the rows on another side than theirs."""

    point: Point
    turned: Indices
    sides: Fates


class Ledger:
    """Sides, scores and sums of all rows; everything here evolves with each w that is looked at.

    A product seen once bounds later ones by the way that w / |w| has gone since, the ``odometer``: [MOVE].
    So neither a proof nor a certificate has to look at most rows again. A row's side, LOWER or UPPER, is
    the bound its theta rests at (at zero where it has none yet); ``rest`` sums up all rows at rest.

    Examples
    --------
    >>> import thresher as th
    >>> problem = th.Problem.svm([[2.0], [-1.0], [0.5]], [1, -1, 1])
    >>> point = th.solve_path(problem, [1.0])[0].point
    >>> Ledger(problem).carry(point, 1.01).fates
    array([-1,  0,  1], dtype=int8)
    """

    def __init__(self, problem: Problem, sides: Fates | None = None) -> None:
        self.problem = problem
        self.sides: Fates = np.zeros(problem.size, dtype=np.int8) if sides is None else sides
        self.odometer = 0.0
        self.direction = np.zeros_like(problem.frame.weights(problem.zero()))
        self._stale = 0.0
        self._place: Floats | None = None
        self.gauge = looks.Gauge(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        self._rest = None if self.sides.any() else Rest(problem.zero(), problem.zero())
        self._found: Found | None = None

    @cached_property
    def seen(self) -> NDArray[np.float32]:
        """<z_i, w> / |w| of each row when it was last looked at."""
        return np.zeros(self.problem.size, dtype=np.float32)

    @cached_property
    def when(self) -> NDArray[np.float32]:
        """What the odometer showed then: nothing was seen at first, however far away."""
        return np.full(self.problem.size, -np.inf, dtype=np.float32)

    def copy(self) -> Ledger:
        """Return another one with the same sides, and nothing seen yet."""
        other = Ledger(self.problem, self.sides.copy())
        other._rest = self._rest
        return other

    # --- what is left for a solver

    def carry(self, point: Point, C: float) -> ReducedProblem:
        """Return what is left at ``C`` of the rows that the point's certificate decides: [CARRY]."""
        problem, frame, certificate = self.problem, self.problem.frame, point.certificate
        region = certificate.ball(C)
        if frame.is_free and region.is_loose(problem.mean_norm):
            return self.screen(region)
        free, turned, fates, lower = looks.prove(
            problem.rows.data,
            problem.samples,
            problem.scale,
            problem.offsets,
            problem.sample_norms,
            point.w,
            frame.joined(region.normal_of_cut(), 0.0),
            self._move_to(point.w),
            certificate.reach(C, frame, region),
            self.seen,
            self.when,
            self.sides,
        )
        self._turn(turned, fates)
        return ReducedProblem(self, free, lower)

    def screen(self, region: Ball) -> ReducedProblem:
        """Return what is left of the rows that a region decides, for the C it belongs to."""
        return self.restrict(self.problem.fates_over(region))

    def restrict(self, fates: Fates) -> ReducedProblem:
        """Return what is left when the rows of known fate are set aside, wherever the fates come from."""
        rows = np.flatnonzero((fates != self.sides) & (fates != FREE))
        self._turn(rows, fates[rows])
        return ReducedProblem(self, np.flatnonzero(fates == FREE), int(np.count_nonzero(fates == LOWER)))

    def everything(self) -> ReducedProblem:
        """Return the problem with every row FREE."""
        return ReducedProblem(self, np.arange(self.sides.size), 0)

    # --- certificates

    def certify(self, w: Floats, rows: Indices, theta: Floats, C: float) -> Point:
        """Return the pair of w and ``theta`` of the ``rows``, all others at rest, certified: [GAP].

        ``rows`` ascend. Only rows that may have crossed their kink since they were seen are looked at.
        """
        problem = self.problem
        if not np.isfinite(w).all():
            nothing = np.full_like(problem.frame.weights(w), np.nan)
            return Point(C, w, rows, theta, math.nan, Certificate(C, nothing, nothing, math.nan))
        rest = self.rest()
        image = problem.zero()
        kinks, values, turned, sides, found = looks.verify(
            *problem.arrays(),
            problem.sample_norms,
            w,
            self._move_to(w),
            self.seen,
            self.when,
            self.sides,
            rows,
            theta,
            image,
        )
        complementarity, loss, slack, mass, charge = found.tolist()
        added = Sums(image, mass, charge, complementarity, loss, slack)
        share, sums = Share(added, kinks, values), rest.at(w) + added
        if problem.frame.is_free:
            share, sums = balanced(problem, partial(self._theta, rows, theta), w, share, sums)
        certificate = self._certificate(w, share, sums, C)
        weights = problem.frame.weights(w)
        primal = 0.5 * float(weights @ weights) + C * sums.loss
        error = C * self._loss_error(w, sums, rest.gross)
        point = Point(C, w, share.kinks, share.theta, primal, certificate, error)
        self._found = Found(point, turned, sides)
        return point

    def _loss_error(self, w: Floats, sums: Sums, gross: float) -> float:
        """Return how far the loss may be off: terms as large as the offsets may all but cancel."""
        frame = self.problem.frame
        weights = frame.weights(w)
        along = sums.mass * length(weights) + sums.charge * frame.shift(weights, float(w[-1]))
        return gamma(BLOCK + self.sides.size // BLOCK + w.size + 8) * (along + gross)

    def _certificate(self, w: Floats, share: Share, sums: Sums, C: float) -> Certificate:
        frame = self.problem.frame
        kappa = C * max(sums.complementarity, 0.0)
        rounding = gamma(BLOCK + 8) * sums.charge
        anchor = anchor_of(self.problem, share.kinks, share.theta, rounding) if frame.is_free else None
        return Certificate(
            C,
            frame.weights(w),
            u=-C * frame.image(sums.image),
            kappa=kappa,
            rounding=C * sums.slack + gamma(w.size + self.sides.size) * kappa,
            u_error=C * (gamma(BLOCK + 8) * (sums.mass + frame.mean_length * sums.charge) + sums.image_error),
            level=frame.level(w),
            anchor=anchor,
        )

    # --- rows

    def accept(self, point: Point) -> None:
        """Let rows rest where they were seen when ``point`` was certified."""
        if (
            self._found is not None
            and self._found.point is point
            and np.isfinite(point.certificate.gap_bound)
        ):
            self._turn(self._found.turned, self._found.sides)
            self._found = None

    def shares(self, point: Point) -> tuple[float, float]:
        """Return the shares of rows that rest LOWER and UPPER, without those at the kink at ``point``."""
        sides, kinks = self.sides, self.sides[point.kinks]
        lower, upper = (np.count_nonzero(sides == s) - np.count_nonzero(kinks == s) for s in (-1, 1))
        return lower / sides.size, upper / sides.size

    def resting(self, rows: Indices | slice = slice(None)) -> Floats:
        """Return where theta of the rows rests: at the bounds their sides name, at 0 without a side."""
        sides = self.sides[rows]
        lower, upper = (b[rows] if b.size > 1 else b for b in (self.problem.lower, self.problem.upper))
        return np.where(sides > 0, upper, np.where(sides < 0, lower, 0.0))

    def image(self, rows: Indices, theta: Floats) -> Floats:
        """Return sum theta_i z_i over all rows, ``theta`` for the ``rows`` and the others at rest."""
        problem, image = self.problem, self.rest().image.copy()
        for start in range(0, rows.size, CHUNK):
            some = rows[start : start + CHUNK]
            change = theta[start : start + CHUNK] - self.resting(some)
            moved = np.flatnonzero(change)
            image += problem.rows.image(problem.scale, some[moved], change[moved], problem.dimension)
        return image

    def settle(self, w: Floats, rows: Indices) -> None:
        """Let ``rows`` rest where w has them."""
        problem = self.problem
        for start in range(0, rows.size, CHUNK):
            some = rows[start : start + CHUNK]
            scores = problem.rows.scores_at(problem.scale, problem.offsets, some, w)
            self.sides[some] = np.where(scores > 0.0, UPPER, LOWER)
        self._rest = None

    def survey(
        self,
        w: Floats,
        error: Floats,
        spread: float,
        least: int,
        free: Indices,
        point: Point,
    ) -> tuple[Indices, Floats, NDArray[np.bool_], Floats, float]:
        """Choose ``least`` or more of the ``free`` rows that may reach their kink near ``w``: `loops.survey`.

        Kink rows of ``point``, the last one, are chosen anyway. Returns rows, their theta, which are chosen,
        the sum over all others, and by how much scores may be off.
        """
        problem, frame, linear = self.problem, self.problem.frame, self.rest().image.copy()
        step = frame.weights(w) - frame.weights(point.w)
        rows, theta, chosen, change = survey(
            *problem.arrays(),
            problem.sample_norms,
            w,
            error,
            (length(step), abs(frame.level(w) - frame.level(point.w))),
            spread,
            least / max(free.size, 1),
            self.gauge,
            self.seen,
            self.when,
            self.sides,
            free,
            point.kinks,
            point.theta,
            linear,
        )
        return rows, theta, chosen, linear, change

    def _theta(self, rows: Indices, theta: Floats) -> Floats:
        """Return theta of all rows, with ``theta`` of those that do not rest."""
        values = self.resting()
        values[rows] = theta
        return values

    def rest(self) -> Rest:
        """Return the sums over all rows at rest."""
        if self._rest is None:
            problem, total, lost = self.problem, self.problem.zero(), self.problem.zero()
            found = passes.rest(*problem.arrays(), problem.sample_norms, self.sides, total, lost)
            self._rest = Rest(total, lost, *found)
        return self._rest

    def _move_to(self, w: Floats) -> looks.Gauge:
        """Go to ``w``, and return what turns memories into scores there."""
        if w is self._place:
            return self.gauge
        self._place = w
        frame, steps = self.problem.frame, gamma(w.size + 8)
        weights = frame.weights(w)
        size = length(weights)
        direction = weights / size if size > 0.0 else np.zeros_like(weights)
        # The direction itself is rounded, too.
        self.odometer += (length(direction - self.direction) + steps) * (1.0 + steps)
        self.direction = direction
        error, shift = gamma(w.size + 4), frame.shift(weights, float(w[-1]))
        if size > 0.0:
            self._stale = max(self._stale, error * shift / size)
        self.gauge = looks.Gauge(
            self.odometer, size, frame.level(w), error * size, error, error * shift, size * self._stale
        )
        return self.gauge

    def _turn(self, rows: Indices, sides: Fates) -> None:
        """Let rows rest at these sides from now on."""
        if rows.size == 0:
            return
        # Without sums until all is done: an interrupt in between leaves none that are wrong.
        problem, rest, self._rest = self.problem, self._rest, None
        if rest is None:
            self.sides[rows] = sides
            return
        total, lost = rest.total.copy(), rest.lost.copy()
        mass, charge, constant, gross = looks.turn(
            *problem.arrays(), problem.sample_norms, self.sides, rows, sides, total, lost
        )
        self._rest = Rest(
            total, lost, rest.mass + mass, rest.charge + charge, rest.constant + constant, rest.gross + gross
        )


def restrict(problem: Problem, fates: Fates) -> ReducedProblem:
    """Return ``problem`` with the rows of known fate set aside, wherever the fates come from."""
    return Ledger(problem).restrict(fates)
