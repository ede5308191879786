"""How the solution at one C came about, and what to make of it."""

from enum import StrEnum


class Status(StrEnum):
    """The outcome at one C; `advice` says what it means and what to try.

    Examples
    --------
    >>> Status.CONVERGED.met
    True
    """

    CONVERGED = "converged"
    CLOSED_FORM = "closed form"
    SETTLED = "settled"
    ROUNDING = "limited by rounding"
    NOT_CONVERGED = "not converged"

    @property
    def met(self) -> bool:
        """Whether the gap is proven to be within the tolerance asked for."""
        return self not in (Status.ROUNDING, Status.NOT_CONVERGED)

    @property
    def advice(self) -> str:
        """One or two sentences on what happened and what to do about it."""
        return {
            Status.CONVERGED: "The relative duality gap is within tol.",
            Status.CLOSED_FORM: "C is so small that the solution is known without solving.",
            Status.SETTLED: (
                "Every loss is zero, so the solution is the same for every larger C; "
                "values of C beyond this one need not be visited."
            ),
            Status.ROUNDING: (
                "The gap as computed is within tol, but the rounding it was computed with is not: see "
                "gap_bound. Columns or targets of very different scale are the usual cause; scale them, "
                "or raise tol."
            ),
            Status.NOT_CONVERGED: (
                "The solver stopped at the gap reported, above tol. The weights are within "
                "certificate.distance of the optimum all the same. Try another solver, raise the limit of "
                "this one, or raise tol."
            ),
        }[self]
