"""Measurements of thresher and its rivals: problems provide, rivals solve, the objective scores."""
