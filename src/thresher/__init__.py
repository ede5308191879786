"""Exact linear models with one-kink losses, for a whole range of C, with proof."""

from thresher import losses, rules, solvers
from thresher.api import lad_path, quantile_path, svm_path, svr_path
from thresher.certificate import Certificate, Lifetimes, lifetimes
from thresher.fates import FREE, LOWER, UPPER, Reduced, restrict
from thresher.path import Path, PathInterrupted, solve_path
from thresher.point import Point
from thresher.problem import KktResiduals, Problem
from thresher.regions import Ball, Dome
from thresher.rows import Rows
from thresher.solution import Solution
from thresher.status import Status

__version__ = "0.1.0"

__all__ = [
    "FREE",
    "LOWER",
    "UPPER",
    "Ball",
    "Certificate",
    "Dome",
    "KktResiduals",
    "Lifetimes",
    "Path",
    "PathInterrupted",
    "Point",
    "Problem",
    "Reduced",
    "Rows",
    "Solution",
    "Status",
    "lad_path",
    "lifetimes",
    "losses",
    "quantile_path",
    "restrict",
    "rules",
    "solve_path",
    "solvers",
    "svm_path",
    "svr_path",
]
