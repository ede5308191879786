"""Estimators in scikit-learn's sense: thin faces of paths, with no mathematics of their own."""

from thresher.estimators.classification import LinearSVC
from thresher.estimators.regression import LADRegressor, LinearSVR, QuantileRegressor

__all__ = ["LADRegressor", "LinearSVC", "LinearSVR", "QuantileRegressor"]
