"""LIBLINEAR's dual coordinate descent, as scikit-learn offers it."""

import warnings

from benchopt import BaseSolver


class Solver(BaseSolver):
    """Coordinate descent for so many sweeps."""

    name = "liblinear"
    sampling_strategy = "iteration"
    requirements = ["scikit-learn"]  # noqa: RUF012, benchopt reads it so

    def set_objective(self, X, y, loss, C):
        """Make the estimator."""
        from sklearn.svm import LinearSVC, LinearSVR

        self.X, self.y = X, y
        common = {"C": C, "fit_intercept": False, "tol": 1e-12, "random_state": 0}
        self.model = (
            LinearSVC(loss="hinge", **common) if loss == "hinge" else LinearSVR(epsilon=0.0, **common)
        )

    def run(self, n_iter):
        """Sweep so many times."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model.set_params(max_iter=n_iter + 1).fit(self.X, self.y)

    def get_result(self):
        """Return the weights."""
        return {"w": self.model.coef_.ravel()}
