"""Dual points that satisfy sum a_i theta_i = 0, which a free intercept asks of them: [FREE]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from thresher.loops.compiled import BLOCK, gamma
from thresher.regions import length
from thresher.sums import Share, Sums

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.rows.base import Floats, Indices


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rows whose theta may be changed: a_i, theta, its box, and s_i / a_i."""

    scale: Floats
    theta: Floats
    lower: Floats
    upper: Floats
    crossing: Floats

    def room(self) -> tuple[Floats, Floats]:
        """Return how far a_i theta_i can rise and fall inside the box."""
        up, down = self.scale * (self.upper - self.theta), self.scale * (self.theta - self.lower)
        return np.where(self.scale > 0.0, up, -down), np.where(self.scale > 0.0, down, -up)

    def change(self, excess: float, uncertainty: float) -> Floats | None:
        """Return the change of theta that lowers sum a_i theta_i by ``excess``, at the least cost.

        None where the rows have not enough room for that and for ``uncertainty`` either way. Raising
        a_i theta_i by one adds -s_i / a_i to the complementarity, so rows are taken in the order of
        s_i / a_i: the change is the one that a shift of the intercept would make.
        """
        rise, fall = self.room()
        room, sign = (fall, 1.0) if excess > 0.0 else (rise, -1.0)
        order = np.argsort(sign * self.crossing, kind="stable")
        before = np.cumsum(room[order]) - room[order]
        taken = np.empty(room.size)
        taken[order] = np.clip(abs(excess) - before, 0.0, room[order])
        moved = sign * float(taken.sum())
        spare = min(float(fall.sum()) - moved, float(rise.sum()) + moved)
        if spare < uncertainty or float(room.sum()) < abs(excess):
            return None
        return -sign * taken / np.where(self.scale == 0.0, 1.0, self.scale)


def balanced(
    problem: Problem, theta: Callable[[], Floats], w: Floats, share: Share, sums: Sums
) -> tuple[Share, Sums]:
    """Return the open rows' share and the sums over all rows, with theta made admissible.

    The open rows take the change where they have room for it: that costs next to nothing. Otherwise all
    rows do, whose ``theta`` is then asked for; where not even they can, no bound on the gap is left.
    """
    excess, uncertainty = float(sums.image[-1]), gamma(BLOCK + 8) * sums.charge
    rows, candidates = share.kinks, _candidates(problem, share.kinks, share.theta, w)
    change = candidates.change(excess, uncertainty)
    if change is None:
        rows = np.arange(problem.size)
        candidates = _candidates(problem, rows, theta(), w)
        change = candidates.change(excess, uncertainty)
    if change is None:
        return share, replace(sums, slack=np.inf)
    changed = candidates.theta + change
    opened = np.union1d(np.flatnonzero(change), np.searchsorted(rows, share.kinks))
    return Share(share.sums, rows[opened], changed[opened]), sums + _cost(
        problem, rows, candidates, change, w, uncertainty
    )


def _cost(
    problem: Problem, rows: Indices, candidates: Candidates, change: Floats, w: Floats, uncertainty: float
) -> Sums:
    """Return what the change of theta adds to the sums; kappa's terms are linear in theta."""
    frame = problem.frame
    weights, moved = frame.weights(w), np.abs(change)
    units, norms = np.abs(candidates.scale), problem.sample_norms[rows % problem.samples]
    offsets = np.abs(problem.own(problem.offsets, rows))
    error = gamma(w.size + 4) * (
        units * (norms * length(weights) + frame.shift(weights, float(w[-1]))) + offsets
    )
    return Sums(
        problem.rows.image(problem.scale, rows, change, w.size),
        mass=float(moved @ (units * norms)),
        charge=float(moved @ units),
        complementarity=-float(change @ (candidates.crossing * candidates.scale)),
        # The admissible theta that this one stands for differs from it by the uncertainty, at most.
        slack=float(moved @ error) + uncertainty * float(np.abs(candidates.crossing).max(initial=0.0)),
        image_error=uncertainty * float(norms.max(initial=0.0)),
    )


def _candidates(problem: Problem, rows: Indices, theta: Floats, w: Floats) -> Candidates:
    scale = problem.own(problem.scale, rows)
    scores = problem.rows.scores_at(problem.scale, problem.offsets, rows, w)
    crossing = np.divide(scores, scale, out=np.zeros(rows.size), where=scale != 0.0)
    lower, upper = problem.box_of(rows)
    return Candidates(scale, np.clip(theta, lower, upper), lower, upper, crossing)
