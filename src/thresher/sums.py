"""What rows add to a certificate, as sums over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.rows.base import Floats, Indices


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over rows at a pair (w, theta).

    ================  ==========================================================================
    image             sum theta_i z_i, with sum theta_i a_i last where there is an intercept
    mass, charge      sum |theta_i| |z_i| and sum |theta_i a_i|: what the image's rounding goes by
    complementarity   sum phi_i(s_i) - theta_i s_i
    loss              sum phi_i(s_i)
    slack             how much larger the complementarity may be than computed
    image_error       how far the image may be from an admissible one besides its rounding
    ================  ==========================================================================
    """

    image: Floats
    mass: float
    charge: float
    complementarity: float = 0.0
    loss: float = 0.0
    slack: float = 0.0
    image_error: float = 0.0

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.image + other.image,
            self.mass + other.mass,
            self.charge + other.charge,
            self.complementarity + other.complementarity,
            self.loss + other.loss,
            self.slack + other.slack,
            self.image_error + other.image_error,
        )


@dataclass(frozen=True, eq=False)
class Rest:
    """What all rows add with theta at the bounds that their sides name.

    The image is ``total`` + ``lost``, a compensated sum; ``constant`` = sum theta_i o_i, and ``gross`` is at
    least sum |theta_i o_i|.
    """

    total: Floats
    lost: Floats
    mass: float = 0.0
    charge: float = 0.0
    constant: float = 0.0
    gross: float = 0.0

    @cached_property
    def image(self) -> Floats:
        """The sum theta_i z_i over all rows."""
        return self.total + self.lost

    def at(self, w: Floats) -> Sums:
        """Return the sums at (w, theta), where no score contradicts its row's side."""
        return Sums(self.image, self.mass, self.charge, loss=float(self.image @ w) + self.constant)


@dataclass(frozen=True, eq=False)
class Share:
    """What some rows add: their sums, and the open rows among them with their theta.

    A row is open where theta is not plainly the bound that the sign of its score asks for.
    """

    sums: Sums
    kinks: Indices
    theta: Floats
