"""Exact linear models with one-kink losses, for a whole range of C, with proof.

Names are imported when first asked for, so that a command line that only prints its help need not wait
for the compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher import datasets, losses, rules, solvers
    from thresher.api import lad_path, quantile_path, svm_path, svr_path
    from thresher.certificate import Certificate, Lifetimes, lifetimes
    from thresher.estimators import (
        CoefficientPath,
        CVDisplay,
        LADRegressor,
        LADRegressorCV,
        LinearSVC,
        LinearSVCCV,
        LinearSVR,
        LinearSVRCV,
        PathDisplay,
        QuantileRegressor,
        QuantileRegressorCV,
        Reduced,
    )
    from thresher.fates import FREE, LOWER, UPPER, ReducedProblem
    from thresher.ledger import Ledger, restrict
    from thresher.path import Path, PathInterrupted, solve_path
    from thresher.point import Point
    from thresher.problem import KktResiduals, Problem
    from thresher.reduction import Reduction, reduce
    from thresher.regions import Ball, Dome
    from thresher.rows import Rows
    from thresher.solution import Solution
    from thresher.status import Status

__version__ = "0.1.0"

# Where each name lives: the imports above, for those who are not type checkers (a test compares).
_HOMES = {
    "api": ("lad_path", "quantile_path", "svm_path", "svr_path"),
    "certificate": ("Certificate", "Lifetimes", "lifetimes"),
    "estimators": (
        "CVDisplay",
        "CoefficientPath",
        "LADRegressor",
        "LADRegressorCV",
        "LinearSVC",
        "LinearSVCCV",
        "LinearSVR",
        "LinearSVRCV",
        "PathDisplay",
        "QuantileRegressor",
        "QuantileRegressorCV",
        "Reduced",
    ),
    "fates": ("FREE", "LOWER", "UPPER", "ReducedProblem"),
    "ledger": ("Ledger", "restrict"),
    "path": ("Path", "PathInterrupted", "solve_path"),
    "point": ("Point",),
    "problem": ("KktResiduals", "Problem"),
    "reduction": ("Reduction", "reduce"),
    "regions": ("Ball", "Dome"),
    "rows": ("Rows",),
    "solution": ("Solution",),
    "status": ("Status",),
}
_MODULES = ("datasets", "losses", "rules", "solvers")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "FREE",
    "LOWER",
    "UPPER",
    "Ball",
    "CVDisplay",
    "Certificate",
    "CoefficientPath",
    "Dome",
    "KktResiduals",
    "LADRegressor",
    "LADRegressorCV",
    "Ledger",
    "Lifetimes",
    "LinearSVC",
    "LinearSVCCV",
    "LinearSVR",
    "LinearSVRCV",
    "Path",
    "PathDisplay",
    "PathInterrupted",
    "Point",
    "Problem",
    "QuantileRegressor",
    "QuantileRegressorCV",
    "Reduced",
    "ReducedProblem",
    "Reduction",
    "Rows",
    "Solution",
    "Status",
    "datasets",
    "lad_path",
    "lifetimes",
    "losses",
    "quantile_path",
    "reduce",
    "restrict",
    "rules",
    "solve_path",
    "solvers",
    "svm_path",
    "svr_path",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"thresher.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")
    value = getattr(import_module(f"thresher.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
