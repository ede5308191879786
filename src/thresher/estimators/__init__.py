"""Estimators in scikit-learn's sense: thin faces of paths, with no mathematics of their own."""

from thresher.estimators.classification import LinearSVC
from thresher.estimators.cv import LADRegressorCV, LinearSVCCV, LinearSVRCV, QuantileRegressorCV
from thresher.estimators.display import CVDisplay, PathDisplay
from thresher.estimators.reduced import Reduced
from thresher.estimators.regression import LADRegressor, LinearSVR, QuantileRegressor
from thresher.estimators.search import CoefficientPath

__all__ = [
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
]
