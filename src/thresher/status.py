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
    NOT_CONVERGED = "not converged"

    @property
    def met(self) -> bool:
        """Whether the gap is within the tolerance asked for."""
        return self is not Status.NOT_CONVERGED

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
            Status.NOT_CONVERGED: (
                "The solver stopped at the gap reported, above tol. The solution is within sqrt(2 gap) of "
                "the optimum all the same; use solver='newton', raise the solver's limit, or raise tol."
            ),
        }[self]
