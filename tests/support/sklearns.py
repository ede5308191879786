"""scikit-learn's own estimators, run until they have converged."""

import numpy as np
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

MANY = 50_000_000


def liblinear_svc(C: float = 1.0, tol: float = 1e-9, **options: object) -> LinearSVC:
    return LinearSVC(loss="hinge", C=C, tol=tol, max_iter=MANY, random_state=0, **options)


def liblinear_svr(C: float = 1.0, tol: float = 1e-9, **options: object) -> LinearSVR:
    return LinearSVR(C=C, tol=tol, max_iter=MANY, random_state=0, **options)


def libsvm_svc(C: float = 1.0, tol: float = 1e-10, **options: object) -> SVC:
    return SVC(kernel="linear", C=C, tol=tol, **options)


def libsvm_svr(C: float = 1.0, tol: float = 1e-10, **options: object) -> SVR:
    return SVR(kernel="linear", C=C, tol=tol, **options)


def same(one: object, other: object, atol: float = 1e-5) -> None:
    """Equal weights and intercepts."""
    for name in ("coef_", "intercept_"):
        found, wanted = np.ravel(getattr(one, name)), np.ravel(getattr(other, name))
        np.testing.assert_allclose(found, wanted, atol=atol, err_msg=name)
