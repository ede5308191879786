"""A screen over a ball or dome is exact: the smallest step past a bound changes the fate.

For every row the range [lowest, highest] of <z, w> over the region comes from a closed form or from
an outside solver. An offset of -lowest puts the row's lowest score at 0: a little more must prove
UPPER, a little less must not; and the same for LOWER.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from support import oracle
from support.descent import descend
from support.planted import plant

Array = NDArray[np.float64]

STEP = 1e-6  # of the row's reach; the outside solver is good to 1e-9
seeds = pytest.mark.parametrize("seed", range(6))
columns = pytest.mark.parametrize("n", [1, 2, 5])


def fates(region: th.Ball, Z: Array, offsets: Array) -> NDArray[np.int8]:
    rows = len(Z)
    return th.Problem(Z, offsets, -np.ones(rows), np.ones(rows)).screen(region).fates


def range_by_oracle(dome: th.Dome, Z: Array) -> tuple[Array, Array]:
    place = (dome.centre, dome.radius, dome.normal, dome.level)
    lowest = [oracle.lowest_score(row, 0.0, *place) for row in Z]
    highest = [-oracle.lowest_score(-row, 0.0, *place) for row in Z]
    return np.array(lowest), np.array(highest)


def assert_turns_at(region: th.Ball, Z: Array, lowest: Array, highest: Array) -> None:
    step = STEP * (region.radius + np.linalg.norm(region.centre)) * np.linalg.norm(Z, axis=1)
    np.testing.assert_array_equal(fates(region, Z, step - lowest), th.UPPER)
    np.testing.assert_array_equal(fates(region, Z, -step - highest), th.LOWER)
    assert not np.any(fates(region, Z, -step - lowest) == th.UPPER)
    assert not np.any(fates(region, Z, step - highest) == th.LOWER)


def dome_that(cuts: str, rng: np.random.Generator, n: int) -> th.Dome:
    """A dome whose plane stands at a chosen place, in parts of the radius from the centre."""
    centre, normal, radius = rng.normal(size=n), rng.normal(size=n), float(rng.random() + 0.5)
    place = {"deep": -0.9, "half": 0.0, "shallow": 0.6, "nothing": 1.5}[cuts]
    level = float(normal @ centre + place * radius * np.linalg.norm(normal))
    return th.Dome(centre, radius, normal, level)


@columns
@seeds
def test_ball(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    Z, ball = rng.normal(size=(12, n)), th.Ball(rng.normal(size=n), float(rng.random()))
    middle, reach = Z @ ball.centre, ball.radius * np.linalg.norm(Z, axis=1)
    assert_turns_at(ball, Z, middle - reach, middle + reach)


@pytest.mark.parametrize("cuts", ["deep", "half", "shallow", "nothing"])
@columns
@seeds
def test_dome(seed: int, n: int, cuts: str) -> None:
    rng = np.random.default_rng(seed)
    Z, dome = rng.normal(size=(12, n)), dome_that(cuts, rng, n)
    assert_turns_at(dome, Z, *range_by_oracle(dome, Z))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_dome_and_a_row_along_its_normal(sign: float) -> None:
    """Nothing of the row is left across the normal: the plane, or the ball's pole, bounds it."""
    normal = np.array([3.0, 4.0])
    dome = th.Dome(np.zeros(2), 1.0, normal, 2.0)
    lowest, highest = sorted([sign * 2.0, sign * -5.0])
    assert_turns_at(dome, sign * normal[None, :], np.array([lowest]), np.array([highest]))


def test_dome_without_a_plane_is_the_ball() -> None:
    """The first end of a path can be w = 0, and then its half-space is everything."""
    rng = np.random.default_rng(0)
    Z, centre, radius = rng.normal(size=(12, 3)), rng.normal(size=3), 0.7
    middle, reach = Z @ centre, radius * np.linalg.norm(Z, axis=1)
    assert_turns_at(th.Dome(centre, radius, np.zeros(3), 0.0), Z, middle - reach, middle + reach)


@pytest.mark.parametrize("offset", [-1.0, 0.0, 1.0])
def test_row_of_zeros_has_its_offset_for_a_score(offset: float) -> None:
    for region in (th.Ball(np.ones(2), 1e6), th.Dome(np.ones(2), 1e6, np.ones(2), 1.0)):
        assert fates(region, np.zeros((1, 2)), np.array([offset])) == np.sign(offset)


@seeds
def test_essnsv_lies_inside_ssnsv(seed: int) -> None:
    case = plant(np.random.default_rng(seed), box="hinge", variant="plain", shape="tall", C=0.25)
    problem = th.Problem(case.Z, case.offsets, case.lower, case.upper)
    given = (case.Z, case.offsets, case.lower, case.upper)
    ends = [problem.certify(*descend(*given, C, 20000), C) for C in (0.1, 0.6)]
    assert max(end.gap for end in ends) < 1e-9
    outer = range_by_oracle(th.rules.Ssnsv().region(*ends, case.C), case.Z)
    inner = range_by_oracle(th.rules.Essnsv().region(*ends, case.C), case.Z)
    slack = 1e-6 * np.linalg.norm(case.Z, axis=1).max()
    assert np.all(inner[0] >= outer[0] - slack)
    assert np.all(inner[1] <= outer[1] + slack)
    assert np.mean(inner[1] - inner[0]) < 0.99 * np.mean(outer[1] - outer[0])
    products = case.Z @ case.w
    assert np.all(inner[0] - slack <= products)
    assert np.all(products <= inner[1] + slack)


@pytest.mark.parametrize("loss", ["absolute", "insensitive"])
def test_lifetimes_of_targets_far_from_zero(loss: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = 1e7 + X @ [1.0, -1.0] + rng.laplace(size=40)
    make = th.Problem.lad if loss == "absolute" else th.Problem.svr
    problem = make(X, y, intercept="free")
    path = th.solve_path(problem, [0.1, 0.102], tol=1e-8)
    fates = th.lifetimes(problem, path[0].certificate).at(0.102)
    signs = np.sign(problem.scores(path[1].w))
    proven = fates != 0
    assert 0.2 < proven.mean() < 1.0
    assert np.all(fates[proven] == signs[proven])


def test_lifetimes_from_far_below() -> None:
    problem = th.Problem.svm([[1.0], [-1.0]], [1, -1])  # w = 2 C: both rows come to their kink at C = 1/2
    for C in (1e-12, 1e-17, 1e-25):
        life = th.lifetimes(problem, th.solve_path(problem, [C])[0].certificate)
        assert np.all(life.fates == th.UPPER)
        assert np.all(life.until <= 0.5)
        assert np.all(life.until > 0.49)


def test_a_certificate_of_another_problem_is_refused() -> None:
    certificate = th.solve_path(th.Problem.svm([[1.0], [-1.0]], [1, -1]), [1.0])[0].certificate
    other = th.Problem.svm(np.eye(3), [1, -1, 1])
    with pytest.raises(ValueError, match="not of this problem"):
        th.lifetimes(other, certificate)
    with pytest.raises(ValueError, match="not of this problem"):
        other.fates_over(certificate.ball(1.0))
    with pytest.raises(ValueError, match="must have 3 entries"):
        other.scores(np.ones(2))
    with pytest.raises(ValueError, match="C must be positive"):
        other.certify(np.zeros(3), np.zeros(3), C=-1.0)
