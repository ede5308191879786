"""The support code is right: planted answers are optimal, the oracle finds them."""

import numpy as np
import pytest

from support import oracle
from support.descent import descend
from support.planted import BOXES, SHAPES, VARIANTS, plant

BOX_NAMES, VARIANT_NAMES, SHAPE_NAMES = list(BOXES), list(VARIANTS), list(SHAPES)
EVEN = [name for name in VARIANTS if name != "uneven_columns"]  # beyond the oracle otherwise


@pytest.mark.parametrize("shape", SHAPE_NAMES)
@pytest.mark.parametrize("variant", VARIANT_NAMES)
@pytest.mark.parametrize("box", BOX_NAMES)
def test_planted_answer_is_optimal(box: str, variant: str, shape: str) -> None:
    case = plant(np.random.default_rng(1), box=box, variant=variant, shape=shape)
    problem = (case.Z, case.offsets, case.lower, case.upper, case.C)
    value = oracle.primal(*problem, case.w)
    assert np.all((case.lower <= case.theta) & (case.theta <= case.upper))
    assert oracle.gap(*problem, case.w, case.theta) <= 1e-12 * value


@pytest.mark.parametrize("variant", EVEN)
def test_planted_scores_are_exact(variant: str) -> None:
    for seed in range(20):
        case = plant(np.random.default_rng(seed), variant=variant)
        exact = case.Z.astype(np.longdouble) @ case.w + case.offsets
        np.testing.assert_array_equal(exact, case.scores)
        image = -case.C * (case.Z.T.astype(np.longdouble) @ case.theta)
        np.testing.assert_array_equal(image, case.w)


@pytest.mark.parametrize("variant", EVEN)
@pytest.mark.parametrize("box", BOX_NAMES)
def test_oracle_finds_the_planted_answer(box: str, variant: str) -> None:
    case = plant(np.random.default_rng(2), box=box, variant=variant, shape="tall")
    problem = (case.Z, case.offsets, case.lower, case.upper, case.C)
    w, value = oracle.clarabel_solution(*problem)
    planted_value = oracle.primal(*problem, case.w)
    assert abs(value - planted_value) <= 1e-9 * planted_value
    assert np.linalg.norm(w - case.w) <= 1e-4 * np.linalg.norm(case.w)


@pytest.mark.parametrize("box", BOX_NAMES)
def test_descent_closes_the_gap(box: str) -> None:
    case = plant(np.random.default_rng(3), box=box, variant="plain", shape="tall", C=8.0)
    problem = (case.Z, case.offsets, case.lower, case.upper, case.C)
    gaps = [oracle.gap(*problem, *descend(*problem, epochs)) for epochs in (1, 10, 3000)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] <= 1e-9 * oracle.primal(*problem, case.w)
