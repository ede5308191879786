"""Ball and dome give the range of every score: never too narrow, and no wider than it is."""

import numpy as np
import pytest
from numpy.typing import NDArray

import thresher as th
from support import oracle
from support.descent import descend
from support.planted import plant

Array = NDArray[np.float64]

ROUNDING = 1e-9
COLUMNS = [1, 2, 5]
seeds = pytest.mark.parametrize("seed", range(6))
columns = pytest.mark.parametrize("n", COLUMNS)


def some_problem(rng: np.random.Generator, n: int, rows: int = 12) -> th.Problem:
    Z = rng.normal(size=(rows, n))
    Z[0] = 0.0
    return th.Problem(Z, rng.normal(size=rows), -np.ones(rows), np.ones(rows))


def dome_that(cuts: str, rng: np.random.Generator, n: int) -> th.Dome:
    """A dome whose plane stands at a chosen place, in parts of the radius from the centre."""
    centre, normal, radius = rng.normal(size=n), rng.normal(size=n), float(rng.random() + 0.5)
    place = {"deep": -0.9, "half": 0.0, "shallow": 0.6, "nothing": 1.5}[cuts]
    level = float(normal @ centre + place * radius * np.linalg.norm(normal))
    return th.Dome(centre, radius, normal, level)


def inside(dome: th.Dome, rng: np.random.Generator, count: int) -> Array:
    directions = rng.normal(size=(count, len(dome.centre)))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    reach = dome.radius * rng.random(count) ** (1 / len(dome.centre))
    points = dome.centre + reach[:, None] * directions
    return points[points @ dome.normal <= dome.level]


@columns
@seeds
def test_ball_bounds(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    problem = some_problem(rng, n)
    ball = th.Ball(rng.normal(size=n), float(rng.random()))
    lowest, highest = ball.bounds(problem)
    Z, offsets = problem.dense_rows(), problem.offsets
    lengths = np.linalg.norm(Z, axis=1)
    for sign, bound in [(-1, lowest), (1, highest)]:
        units = Z / np.where(lengths > 0, lengths, 1.0)[:, None]
        furthest = ball.centre + sign * ball.radius * units
        attained = (Z * furthest).sum(axis=1) + offsets
        np.testing.assert_allclose(bound, attained, rtol=0, atol=ROUNDING)
        assert np.all(sign * (bound - attained) >= -1e-15 * (1 + np.abs(attained)))


@pytest.mark.parametrize("cuts", ["deep", "half", "shallow", "nothing"])
@columns
@seeds
def test_dome_bounds(seed: int, n: int, cuts: str) -> None:
    rng = np.random.default_rng(seed)
    problem, dome = some_problem(rng, n), dome_that(cuts, rng, n)
    lowest, highest = dome.bounds(problem)
    place = (dome.centre, dome.radius, dome.normal, dome.level)
    for i, (row, offset) in enumerate(zip(problem.dense_rows(), problem.offsets, strict=True)):
        assert lowest[i] == pytest.approx(oracle.lowest_score(row, offset, *place), abs=1e-6)
        assert highest[i] == pytest.approx(-oracle.lowest_score(-row, -offset, *place), abs=1e-6)
    scores = inside(dome, rng, 2000) @ problem.dense_rows().T + problem.offsets
    assert len(scores) > 0
    assert np.all(lowest - ROUNDING <= scores)
    assert np.all(scores <= highest + ROUNDING)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_dome_bounds_of_a_row_along_the_normal(sign: float) -> None:
    """The orthogonal part is 0: the plane or the ball's pole alone bounds the score."""
    normal = np.array([3.0, 4.0])
    problem = th.Problem(sign * normal[None, :], np.zeros(1), -np.ones(1), np.ones(1))
    dome = th.Dome(np.zeros(2), 1.0, normal, 2.0)
    lowest, highest = dome.bounds(problem)
    expected = sorted([sign * 2.0, sign * -5.0])
    np.testing.assert_allclose([lowest[0], highest[0]], expected, rtol=1e-9)


def test_dome_without_a_plane_is_the_ball() -> None:
    """The first end of a path can be w = 0, and then its half-space is everything."""
    rng = np.random.default_rng(0)
    problem = some_problem(rng, 3)
    centre, radius = rng.normal(size=3), 0.7
    dome, ball = th.Dome(centre, radius, np.zeros(3), 0.0), th.Ball(centre, radius)
    np.testing.assert_allclose(dome.bounds(problem), ball.bounds(problem), rtol=0, atol=ROUNDING)


@seeds
def test_essnsv_lies_inside_ssnsv(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = plant(rng, box="hinge", variant="plain", shape="tall", C=0.25)
    problem = th.Problem(case.Z, case.offsets, case.lower, case.upper)
    parts = (case.Z, case.offsets, case.lower, case.upper)
    ends = [problem.certify(*descend(*parts, C, 20000), C) for C in (0.2, 0.3)]
    assert max(end.gap for end in ends) < 1e-9
    outer = th.rules.Ssnsv().region(*ends, case.C).bounds(problem)
    inner = th.rules.Essnsv().region(*ends, case.C).bounds(problem)
    assert np.all(inner[0] >= outer[0] - 1e-6)
    assert np.all(inner[1] <= outer[1] + 1e-6)
    assert np.mean(inner[1] - inner[0]) < 0.99 * np.mean(outer[1] - outer[0])
    assert np.all(inner[0] - 1e-6 <= case.scores)
    assert np.all(case.scores <= inner[1] + 1e-6)
