"""Storages give the same numbers, and take what the user has without a copy."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import thresher as th
from support.paths import STORAGES
from support.planted import Planted, plant

Array = NDArray[np.float64]


def unsorted_with_repeats(X: Array) -> sparse.csr_matrix:
    """Every entry stands twice, each time as its half, columns from last to first."""
    halves = sparse.coo_matrix(X / 2)
    order = np.lexsort((-halves.col, halves.row))
    columns = np.repeat(halves.col[order], 2)
    values = np.repeat(halves.data[order], 2)
    counts = 2 * np.bincount(halves.row, minlength=len(X))
    return sparse.csr_matrix((values, columns, np.r_[0, np.cumsum(counts)]), shape=X.shape)


def read_only(X: Array) -> Array:
    X = X.copy()
    X.setflags(write=False)
    return X


FORMS: dict[str, Callable[[Array], object]] = {
    **STORAGES,
    "lists": lambda X: X.tolist(),
    "every_second_row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "columns_reversed": lambda X: X[:, ::-1].copy()[:, ::-1],
    "big_endian": lambda X: X.astype(">f8"),
    "read_only": read_only,
    "csr_array": sparse.csr_array,
    "csr_float32": lambda X: sparse.csr_matrix(X.astype(np.float32)),
    "csr_unsorted": unsorted_with_repeats,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
}
forms = pytest.mark.parametrize("form", list(FORMS))
seeds = pytest.mark.parametrize("seed", range(3))


def case_of(seed: int) -> Planted:
    return plant(np.random.default_rng(seed), variant="zero_rows", shape="tall", C=0.5)


@seeds
@pytest.mark.parametrize("intercept", ["none", "penalised"])
@forms
def test_same_numbers(form: str, intercept: str, seed: int) -> None:
    case, rng = case_of(seed), np.random.default_rng(seed)
    scale = rng.choice([-1.0, 0.5, 2.0], len(case.Z))
    X = FORMS[form](case.Z)
    problem = th.Problem(X, case.offsets, case.lower, case.upper, scale, intercept)
    Z = case.Z if intercept == "none" else np.column_stack([case.Z, np.ones(len(case.Z))])
    Z = scale[:, None] * Z
    w, theta = rng.normal(size=Z.shape[1]), rng.normal(size=len(Z))
    assert (problem.size, problem.dimension) == Z.shape
    assert (problem.samples, problem.features) == case.Z.shape
    exactly = {"rtol": 1e-13, "atol": 1e-13}
    np.testing.assert_array_equal(problem.dense_rows(), Z)
    np.testing.assert_allclose(problem.scores(w), Z @ w + case.offsets, **exactly)
    np.testing.assert_allclose(problem.image(theta, 0.5), -0.5 * Z.T @ theta, **exactly)
    np.testing.assert_allclose(problem.norms(), np.linalg.norm(Z, axis=1), **exactly)


@seeds
@forms
def test_same_screen(form: str, seed: int) -> None:
    """Known rows leave as one linear term and a constant: [REDUCE]."""
    case = case_of(seed)
    problem = th.Problem(FORMS[form](case.Z), case.offsets, case.lower, case.upper)
    reduced = problem.screen(problem.certify(case.w, case.theta, case.C).ball(1.1 * case.C))
    expected = th.Problem(case.Z, case.offsets, case.lower, case.upper).screen(
        problem.certify(case.w, case.theta, case.C).ball(1.1 * case.C)
    )
    np.testing.assert_array_equal(reduced.fates, expected.fates)
    theta = np.select([reduced.fates < 0, reduced.fates > 0], [case.lower, case.upper], 0.0)
    np.testing.assert_allclose(reduced.known(), case.Z.T @ theta, rtol=1e-12, atol=1e-12)
    rest = reduced.ledger.rest()
    np.testing.assert_allclose(rest.image, case.Z.T @ theta, rtol=1e-12, atol=1e-12)
    assert rest.constant == pytest.approx(case.offsets @ theta, rel=1e-12, abs=1e-12)
    np.testing.assert_array_equal(reduced.free, np.flatnonzero(reduced.fates == th.FREE))
    assert 0 < len(reduced.free) < len(case.Z)


@pytest.mark.parametrize("form", ["dense", "fortran", "float32", "read_only"])
def test_dense_rows_are_used_in_place(form: str) -> None:
    X = FORMS[form](case_of(0).Z)
    assert np.shares_memory(th.Problem(X, 1.0, 0.0, 1.0).rows.data, X)


@pytest.mark.parametrize("form", ["csr", "csr_int64", "csr_float32", "csr_array"])
def test_sparse_rows_are_used_in_place(form: str) -> None:
    X = FORMS[form](case_of(0).Z)
    stored = th.Problem(X, 1.0, 0.0, 1.0).rows.data
    for name in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(stored, name), getattr(X, name))


def test_data_frame_names_its_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"width": [1.0, 2.0], "height": [3.0, np.inf]})
    with pytest.raises(ValueError, match="height"):
        th.Problem(frame, 1.0, 0.0, 1.0)
    frame["height"] = [3.0, 4.0]
    np.testing.assert_array_equal(th.Problem(frame, 1.0, 0.0, 1.0).dense_rows(), [[1, 3], [2, 4]])


@pytest.mark.parametrize("storage", list(STORAGES))
def test_taken_samples_are_the_same_samples(storage: str) -> None:
    """A copy in the same format and dtype, repeats and order as asked for."""
    rng = np.random.default_rng(0)
    X, index = rng.normal(size=(30, 4)).astype(np.float32).astype(np.float64), np.array([3, 29, 3, 0])
    rows = th.Problem.lad(STORAGES[storage](X), np.ones(30)).rows
    taken, below = rows.take(index), rng.normal(size=(2, 4)).astype(np.float32).astype(np.float64)
    np.testing.assert_array_equal(taken.to_dense(), X[index])
    stacked = rows.extract(index, below)
    given = rows.extract(np.arange(30))
    assert (type(stacked), stacked.dtype) == (type(given), given.dtype)
    stacked = stacked.toarray() if sparse.issparse(stacked) else stacked
    np.testing.assert_array_equal(stacked, np.vstack([X[index], below]))


@pytest.mark.parametrize("intercept", ["none", "penalised", "free"])
@pytest.mark.parametrize("storage", list(STORAGES))
def test_frames_are_shared(storage: str, intercept: str) -> None:
    """Problems over the same rows measure them once; samples taken keep their lengths, and their optimum."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)).astype(np.float32).astype(np.float64), rng.normal(size=60)
    one = th.Problem.lad(STORAGES[storage](X), y, intercept=intercept)
    assert th.Problem.lad(one.rows, -y, intercept=intercept).frame is one.frame
    index = np.arange(0, 60, 2)
    half = th.Problem.lad(one.rows.take(index), y[index], intercept=intercept)
    np.testing.assert_array_equal(half.sample_norms, one.sample_norms[index])
    alone = th.Problem.lad(STORAGES[storage](X[index]), y[index], intercept=intercept)
    assert half.frame.mean is one.frame.mean
    w = th.solve_path(half, [1.0], tol=1e-12)[0].w
    np.testing.assert_allclose(w, th.solve_path(alone, [1.0], tol=1e-12)[0].w, atol=1e-9)
