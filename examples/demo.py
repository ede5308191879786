"""A path of 100 SVMs on two overlapping clouds: what is proven, what it costs, who agrees."""

import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import thresher as th

FIGURE = Path("build/demo.png")


def timed(work):
    """Seconds that work() took, and what it returned."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def print_path(path, X, y):
    """Ten of the path's points."""
    print(f"{'C':>9} {'LOWER':>7} {'UPPER':>7} {'gap':>9} {'accuracy':>9}")
    for k in np.linspace(0, len(path) - 1, 10).astype(int):
        lower, upper = path.screened[k]
        accuracy = np.mean(np.sign(X @ path.coef[k]) == y)
        print(f"{path.C[k]:9.4f} {lower:7.1%} {upper:7.1%} {path.gap[k]:9.1e} {accuracy:9.1%}")


def print_comparison(path, X, y):
    """scikit-learn's objective, trained to convergence, against the path's certified one."""
    problem = th.Problem.svm(X, y)
    print(f"{'C':>9} {'thresher':>15} {'scikit-learn':>15} {'difference':>11}  converged")
    for k in np.linspace(0, len(path) - 1, 5).astype(int):
        C = path.C[k]
        peer = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-8, max_iter=20_000, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            peer.fit(X, y)
        theirs = problem.primal(peer.coef_.ravel(), C)
        excess = theirs / path.primal[k] - 1.0
        converged = "yes" if peer.n_iter_ < peer.max_iter else "no"
        print(f"{C:9.4f} {path.primal[k]:15.8f} {theirs:15.8f} {excess:11.1e}  {converged}")


def main():
    """Solve, compare, draw."""
    data = th.datasets.toy3()  # two classes of 1000 points, N(±0.5, 0.75² I), as in the DVI paper
    X, y = data.X, data.y
    Cs = np.geomspace(1e-2, 10, 100)
    first, _ = timed(lambda: th.svm_path(X, y, Cs))
    second, path = timed(lambda: th.svm_path(X, y, Cs))

    print(f"{len(X)} rows, {len(path)} values of C.")
    print("LOWER, UPPER: share of rows whose side of the kink is proven before the solve.\n")
    print_path(path, X, y)
    print(f"\nWhole path: {second:.3f} s; the first time, loading or compiling: {first:.3f} s.\n")
    print("scikit-learn's LinearSVC on the same problem, one fit for each C:\n")
    print_comparison(path, X, y)
    FIGURE.parent.mkdir(exist_ok=True)
    path.plot().savefig(FIGURE, dpi=150)
    print(f"\nFigure: {FIGURE}")


if __name__ == "__main__":
    main()
