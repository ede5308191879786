"""Thresher at one C."""

from benchopt import BaseSolver


class Solver(BaseSolver):
    """Exact, with a certificate; a smaller tolerance asks for a smaller duality gap."""

    name = "thresher"
    sampling_strategy = "tolerance"
    requirements = ["pip::thresher"]  # noqa: RUF012, benchopt reads it so
    parameters = {"solver": ["auto"]}  # noqa: RUF012

    def set_objective(self, X, y, loss, C):
        """Make the problem."""
        import thresher

        make = {"hinge": thresher.Problem.svm, "absolute": thresher.Problem.lad}[loss]
        self.solve, self.problem, self.C = thresher.solve_path, make(X, y), C

    def warm_up(self):
        """Compile the loops, or load them."""
        self.run_once(1e-3)

    def run(self, tolerance):
        """Solve to a relative duality gap."""
        tol = min(max(tolerance, 1e-15), 0.1)
        self.w = self.solve(self.problem, [self.C], solver=self.solver, tol=tol)[0].coef

    def get_result(self):
        """Return the weights."""
        return {"w": self.w}
