"""Generated sets: the distribution they claim, and answers that are right to the last bit."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

import thresher as th
from support import oracle
from thresher import datasets, losses

TOYS = {"toy1": 1.5, "toy2": 0.75, "toy3": 0.5}  # mu, as the paper states it


@pytest.mark.parametrize("name", list(TOYS))
def test_toys_are_the_papers(name: str) -> None:
    make = getattr(datasets, name)
    pooled = [make(seed) for seed in range(30)]
    for sign in (1.0, -1.0):
        X = np.vstack([one.X[one.y == sign] for one in pooled])
        assert len(X) == 30 * 1000
        np.testing.assert_allclose(X.mean(axis=0), sign * TOYS[name], atol=5 * 0.75 / len(X) ** 0.5)
        np.testing.assert_allclose(np.cov(X.T), 0.75**2 * np.eye(2), atol=0.02)


def test_toys_depend_on_the_seed_only() -> None:
    one, same, other = datasets.toy1(), datasets.toy1(0), datasets.toy1(1)
    np.testing.assert_array_equal(one.X, same.X)
    assert not np.array_equal(one.X, other.X)
    assert (one.name, one.loss) == ("toy1", "hinge")


def exactly(values: np.ndarray) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


@pytest.mark.parametrize("loss", [losses.absolute, losses.hinge, losses.pinball(0.25)], ids=str)
@pytest.mark.parametrize("shape", [(60, 4), (8, 20), (1, 1)], ids=str)
def test_planted_answers_satisfy_kkt_exactly(loss: losses.Loss, shape: tuple[int, int]) -> None:
    for seed in range(20):
        case = datasets.planted(*shape, loss=loss, C=0.5, at_kink=0.2, seed=seed)
        Z, offsets = case.problem.dense_rows(), exactly(case.problem.offsets)
        theta, w = exactly(case.theta), exactly(case.w)
        for j in range(shape[1]):
            column = exactly(Z[:, j])
            assert w[j] == -Fraction(0.5) * sum(t * z for t, z in zip(theta, column, strict=True))
        for i in range(shape[0]):
            score = offsets[i] + sum(z * v for z, v in zip(exactly(Z[i]), w, strict=True))
            assert score == Fraction(float(case.scores[i]))
            assert np.sign(case.scores[i]) == case.fates[i]
            bound = {1: loss.upper, -1: loss.lower}.get(int(case.fates[i]))
            if bound is None:
                assert loss.lower < case.theta[i] < loss.upper
            else:
                assert case.theta[i] == bound


def test_planted_problems_have_all_fates() -> None:
    case = datasets.planted(500, 5)
    assert set(np.unique(case.fates)) == {th.LOWER, th.FREE, th.UPPER}
    assert 0.05 < np.mean(case.fates == th.FREE) < 0.15
    everything = datasets.planted(50, 5, at_kink=1.0)
    assert not everything.fates.any()


@pytest.mark.parametrize("loss", [losses.absolute, losses.hinge], ids=str)
def test_solvers_find_the_planted_answer(loss: losses.Loss) -> None:
    case = datasets.planted(120, 4, loss=loss, C=0.125, seed=3)
    solution = th.solve_path(case.problem, [case.C], tol=1e-12)[0]
    np.testing.assert_allclose(solution.w, case.w, rtol=1e-9, atol=1e-9)
    proven = solution.fates
    assert np.all(proven[proven != 0] == case.fates[proven != 0])
    assert 0 < np.count_nonzero(proven) < 120
    given = (case.problem.dense_rows(), case.problem.offsets, loss.lower, loss.upper)
    Z, offsets, lower, upper = given
    w, _ = oracle.clarabel_solution(Z, offsets, np.full(120, lower), np.full(120, upper), case.C)
    np.testing.assert_allclose(w, case.w, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_classification_has_the_distance_asked_for(dtype: str) -> None:
    data = datasets.classification(40_000, 10, distance=2.0, dtype=dtype)
    assert data.X.dtype == dtype
    assert data.X.flags.c_contiguous
    gap = data.X[data.y > 0].mean(axis=0) - data.X[data.y < 0].mean(axis=0)
    assert np.linalg.norm(gap) == pytest.approx(2.0, abs=0.1)
    assert np.mean(data.y > 0) == pytest.approx(0.5, abs=0.02)
    np.testing.assert_allclose(data.X[data.y > 0].std(axis=0), 1.0, atol=0.03)
    assert data.problem().loss == "hinge"


def test_regression_has_the_signal_and_noise_asked_for() -> None:
    clean, noisy = (datasets.regression(40_000, 8, noise=noise) for noise in (0.0, 2.0))
    np.testing.assert_array_equal(clean.X, noisy.X)
    assert clean.y.std() == pytest.approx(1.0, abs=0.02)
    w = np.linalg.lstsq(clean.X, clean.y, rcond=None)[0]
    np.testing.assert_allclose(clean.X @ w, clean.y, atol=1e-10)
    noise = (noisy.y - clean.y) / 2.0
    assert np.median(np.abs(noise)) == pytest.approx(0.765, abs=0.02)  # quartile of t with 3 degrees
    assert noisy.problem().loss == "absolute"


@pytest.mark.parametrize("make", [datasets.classification, datasets.regression])
def test_sets_depend_on_the_seed_only(make: object) -> None:
    first, again, other = (make(500, 3, seed=seed) for seed in (0, 0, 1))  # type: ignore[operator]
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.y, other.y)


@pytest.mark.parametrize("make", [datasets.classification, datasets.regression])
def test_large_sets_need_little_more_than_themselves(make: object) -> None:
    tracemalloc.start()
    data = make(1_000_000, 20, dtype="float32")  # type: ignore[operator]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert data.X.nbytes == 80_000_000
    assert peak < 1.5 * (data.X.nbytes + data.y.nbytes)


@pytest.mark.parametrize("make", [datasets.classification, datasets.regression, datasets.planted])
def test_empty_sets_are_refused(make: object) -> None:
    for shape in ((0, 3), (3, 0)):
        with pytest.raises(ValueError, match=r"rows and columns must be at least 1, got \d and \d"):
            make(*shape)  # type: ignore[operator]


def test_other_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match="dtype must be float64 or float32, got int64"):
        datasets.classification(5, 5, dtype=int)
    with pytest.raises(ValueError, match=r"at_kink must lie between 0 and 1, got 1\.5"):
        datasets.planted(5, 5, at_kink=1.5)


def test_standardised_leaves_constant_columns_out() -> None:
    data = datasets.regression(200, 3)
    data.X[:, 1] = 7.0
    scaled = data.standardised()
    assert scaled.X.shape == (200, 2)
    np.testing.assert_allclose(scaled.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled.X.std(axis=0), 1.0)
    np.testing.assert_array_equal(scaled.y, data.y)
    assert np.all(data.X[:, 1] == 7.0)
