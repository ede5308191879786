"""Losses with one kink: phi(t) = max(lower t, upper t), lower <= 0 <= upper, lower < upper."""

import math
from dataclasses import dataclass
from typing import Final, SupportsFloat


def number(value: float, name: str) -> float:
    """Return ``value`` where it is a number, or say which parameter is not."""
    if isinstance(value, (str, bytes)) or not isinstance(value, SupportsFloat):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return float(value)


@dataclass(frozen=True)
class Loss:
    """One kink at zero, between the slopes ``lower`` and ``upper``; also the box of the dual variable.

    Examples
    --------
    >>> Loss(-0.2, 0.8)
    Loss(lower=-0.2, upper=0.8)
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise ValueError(f"the slopes of a loss must be finite, got {self.lower} and {self.upper}")
        if not self.lower <= 0.0 <= self.upper or self.lower == self.upper:
            raise ValueError(
                "the slopes of a loss must enclose zero and differ, "
                f"got lower={self.lower} and upper={self.upper}"
            )


@dataclass(frozen=True)
class Insensitive:
    """The epsilon-insensitive loss max(|t| - epsilon, 0): two hinges a sample, one each way."""

    epsilon: float

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.epsilon, "epsilon") < math.inf:
            raise ValueError(f"epsilon must be a number that is not negative, got {self.epsilon}")


hinge: Final = Loss(0.0, 1.0)
absolute: Final = Loss(-1.0, 1.0)


def pinball(quantile: float) -> Loss:
    """Return the loss of quantile regression: slope ``quantile`` above, ``quantile - 1`` below.

    Examples
    --------
    >>> pinball(0.25)
    Loss(lower=-0.75, upper=0.25)
    """
    if not 0.0 < number(quantile, "quantile") < 1.0:
        raise ValueError(f"quantile must lie strictly between 0 and 1, got {quantile}")
    return Loss(quantile - 1.0, quantile)


def insensitive(epsilon: float) -> Insensitive:
    """Return the epsilon-insensitive loss of support vector regression.

    Examples
    --------
    >>> insensitive(0.1)
    Insensitive(epsilon=0.1)
    """
    return Insensitive(epsilon)
