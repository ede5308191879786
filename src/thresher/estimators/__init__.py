"""Estimators in scikit-learn's sense: thin faces of paths, with no mathematics of their own."""

from thresher.estimators.classification import LinearSVC
from thresher.estimators.cv import LADRegressorCV, LinearSVCCV, LinearSVRCV, QuantileRegressorCV
from thresher.estimators.regression import LADRegressor, LinearSVR, QuantileRegressor

__all__ = [
    "LADRegressor",
    "LADRegressorCV",
    "LinearSVC",
    "LinearSVCCV",
    "LinearSVR",
    "LinearSVRCV",
    "QuantileRegressor",
    "QuantileRegressorCV",
]
