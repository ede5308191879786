"""No rule ever certifies a row wrongly, however poor the pair it is given.

Each trial plants a problem whose optimum at C is known exactly, stops a solver somewhere at
another C0, hands the pair to the rule and compares every proven fate with the truth. The same
trials convict the paper's plain DVI formula, so an unsafe rule would not pass.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import thresher as th
from support import oracle
from support.descent import descend
from support.planted import Planted, fraction, plant

Array = NDArray[np.float64]
Generator = np.random.Generator

CHUNK = 250
QUICK = [(seed, CHUNK) for seed in range(4)]
LONG = [pytest.param(seed, CHUNK, marks=pytest.mark.slow) for seed in range(100, 180)]
over_many_trials = pytest.mark.parametrize(("seed", "count"), QUICK + LONG)


class Pair(NamedTuple):
    """What a solver hands over at C."""

    C: float
    w: Array
    theta: Array


class Trial(NamedTuple):
    rng: Generator
    case: Planted  # the truth at case.C
    problem: th.Problem


class Tally(NamedTuple):
    rows: int
    proven: int
    wrong: int


# --- trials


def trials(seed: int, count: int, box: str | None = None) -> Iterator[Trial]:
    for rng in np.random.default_rng(seed).spawn(count):
        case = plant(rng, box=box)
        yield Trial(rng, case, as_problem(rng, case))


def as_problem(rng: Generator, case: Planted) -> th.Problem:
    """The case in a storage and with signs drawn at random; the rows are the same numbers."""
    scale = rng.choice([-1.0, 1.0], len(case.Z))
    X = scale[:, None] * case.Z
    storages: list[Callable[[Array], object]] = [
        np.ascontiguousarray,
        np.asfortranarray,
        sparse.csr_matrix,
        with_long_indices,
    ]
    if np.array_equal(X.astype(np.float32), X):
        storages.append(lambda X: X.astype(np.float32))
    stored = storages[rng.integers(len(storages))](X)
    return th.Problem(stored, case.offsets, case.lower, case.upper, scale=scale)


def with_long_indices(X: Array) -> sparse.csr_matrix:
    matrix = sparse.csr_matrix(X)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


def ratio(rng: Generator) -> float:
    """C0 over C: from 1.0001 to 100, either way."""
    step = np.exp(rng.uniform(np.log(1e-4), np.log(99.0)))
    return float((1 + step) ** rng.choice([-1, 1]))


def stopped_early(rng: Generator, case: Planted, C: float) -> Pair:
    """A pair of any quality at C: few or many epochs, a cold or a warm start, noise or none."""
    epochs = int(rng.choice([0, 1, 3, 10, 30, 100, 1000]))
    start = case.theta if rng.random() < 0.5 else None
    w, theta = descend(case.Z, case.offsets, case.lower, case.upper, C, epochs, start)
    if rng.random() < 0.3:
        size = 10 ** rng.uniform(-8, -1) * (np.linalg.norm(w) + 1e-3)
        w = w + size * rng.normal(size=len(w)) / np.sqrt(len(w))
    return Pair(C, w, theta)


# --- judgement


def wrong(fates: NDArray[np.int8], scores: Array) -> NDArray[np.bool_]:
    """Proven LOWER needs a score below 0, proven UPPER one above; a kink row is neither."""
    return ((fates == th.LOWER) & (scores >= 0)) | ((fates == th.UPPER) & (scores <= 0))


def tally(answers: Iterator[tuple[NDArray[np.int8], Array]]) -> Tally:
    total = np.zeros(3, dtype=int)
    for fates, scores in answers:
        assert fates.shape == scores.shape
        total += [fates.size, np.count_nonzero(fates), np.count_nonzero(wrong(fates, scores))]
    return Tally(*total.tolist())


def assert_safe_and_useful(found: Tally, least: float = 0.1) -> None:
    assert found.wrong == 0
    assert least * found.rows < found.proven < 0.95 * found.rows


# --- the certificate's ball [CARRY]


def carried(seed: int, count: int) -> Iterator[tuple[NDArray[np.int8], Array]]:
    for rng, case, problem in trials(seed, count):
        C, w, theta = stopped_early(rng, case, case.C * ratio(rng))
        ball = problem.certify(w, theta, C).ball(case.C)
        yield problem.screen(ball).fates, case.scores


@over_many_trials
def test_carried_certificate(seed: int, count: int) -> None:
    assert_safe_and_useful(tally(carried(seed, count)))


def plain_dvi(pair: Pair, case: Planted) -> NDArray[np.int8]:
    """The paper's rule, which takes w for the exact solution at C0 and asks for no proof."""
    rho = case.C / pair.C
    middle = case.Z @ ((1 + rho) / 2 * pair.w) + case.offsets
    reach = abs(1 - rho) / 2 * np.linalg.norm(pair.w) * np.linalg.norm(case.Z, axis=1)
    return np.where(middle < -reach, th.LOWER, np.where(middle > reach, th.UPPER, th.FREE))


def test_the_same_trials_convict_plain_dvi() -> None:
    def answers() -> Iterator[tuple[NDArray[np.int8], Array]]:
        for rng, case, _ in trials(*QUICK[0]):
            pair = stopped_early(rng, case, case.C * ratio(rng))
            yield plain_dvi(pair, case), case.scores

    assert tally(answers()).wrong > 0


def test_optimal_pair_proves_all_but_the_kink() -> None:
    """At radius 0 only the rounding bounds stand between a kink row and a wrong fate."""
    cleared = 0
    for _, case, problem in trials(1, 300):
        certificate = problem.certify(case.w, case.theta, case.C)
        fates = problem.screen(certificate.ball(case.C)).fates
        assert not wrong(fates, case.scores).any()
        lengths = np.linalg.norm(case.Z, axis=1)
        clear = np.abs(case.scores) > 1e-6 * (1 + lengths * np.linalg.norm(case.w))
        cleared += np.count_nonzero(clear)
        np.testing.assert_array_equal(fates[clear], case.fates[clear])
    assert cleared > 1000


def test_nearly_optimal_pair_never_proves_the_kink() -> None:
    """Errors of a few units in the last place, where a gap by subtraction would read 0."""
    for rng, case, problem in trials(2, 300):
        w = case.w * (1 + rng.integers(-4, 5, case.w.shape) * np.finfo(float).eps)
        certificate = problem.certify(w, case.theta, case.C)
        fates = problem.screen(certificate.ball(case.C)).fates
        assert not wrong(fates, case.scores).any()


# --- DVI* through Gram products


def no_last_point() -> NoReturn:
    raise AssertionError("the rule needs one point only")


def gram(seed: int, count: int) -> Iterator[tuple[NDArray[np.int8], Array]]:
    rule = th.rules.DviGram()
    for rng, case, problem in trials(seed, count):
        C, w, theta = stopped_early(rng, case, case.C * ratio(rng))
        point = th.Ledger(problem).certify(w, np.arange(problem.size), theta, C)
        yield rule.screen(th.Ledger(problem), point, case.C, last=no_last_point).fates, case.scores


@over_many_trials
def test_gram_rule(seed: int, count: int) -> None:
    assert_safe_and_useful(tally(gram(seed, count)))


# --- SSNSV and ESSNSV between two ends


def domes(rule: object, seed: int, count: int) -> Iterator[tuple[NDArray[np.int8], Array]]:
    for rng, case, problem in trials(seed, count, box="hinge"):
        below, above = sorted([ratio(rng), ratio(rng)])
        ends = [
            problem.certify(pair.w, pair.theta, pair.C)
            for pair in (
                stopped_early(rng, case, case.C * min(below, 1 / below)),
                stopped_early(rng, case, case.C * max(above, 1 / above)),
            )
        ]
        region = rule.region(*ends, case.C)
        yield problem.screen(region).fates, case.scores


@over_many_trials
@pytest.mark.parametrize("name", ["Ssnsv", "Essnsv"])
def test_dome_from_approximate_ends(name: str, seed: int, count: int) -> None:
    rule = getattr(th.rules, name)()
    assert_safe_and_useful(tally(domes(rule, seed, count)), least=0.02)


def test_the_same_trials_convict_unwidened_domes() -> None:
    """ESSNSV's region taken as published, from the approximate ends."""

    def answers() -> Iterator[tuple[NDArray[np.int8], Array]]:
        for rng, case, problem in trials(0, 500, box="hinge"):
            first = stopped_early(rng, case, case.C / (1.1 + rng.random()))
            last = stopped_early(rng, case, case.C * (1.1 + rng.random()))
            level = -float(first.w @ first.w)
            radius = float(np.linalg.norm(last.w)) / 2
            region = th.Dome(last.w / 2, radius, -first.w, level)
            yield problem.screen(region).fates, case.scores

    assert tally(answers()).wrong > 0


# --- lifetimes [LIFE]


def living(seed: int, count: int) -> Iterator[tuple[NDArray[np.int8], Array]]:
    for rng, case, problem in trials(seed, count):
        pair = stopped_early(rng, case, case.C * ratio(rng))
        lives = th.lifetimes(problem, problem.certify(pair.w, pair.theta, pair.C))
        alive = (lives.since <= case.C) & (lives.until >= case.C)
        yield np.where(alive, lives.fates, th.FREE), case.scores


@over_many_trials
def test_lifetime_holds_at_the_planted_C(seed: int, count: int) -> None:
    assert_safe_and_useful(tally(living(seed, count)))


def test_lifetime_is_what_the_ball_proves() -> None:
    """At every C the lifetimes name the rows that the ball at this C proves."""
    compared = agreed = 0
    for rng, case, problem in trials(3, 200):
        pair = stopped_early(rng, case, case.C * ratio(rng))
        certificate = problem.certify(pair.w, pair.theta, pair.C)
        lives = th.lifetimes(problem, certificate)
        for C in pair.C * np.array([ratio(rng), ratio(rng), 1.0]):
            alive = (lives.since <= C) & (lives.until >= C)
            fates = problem.screen(certificate.ball(C)).fates
            same = np.where(alive, lives.fates, th.FREE) == fates
            near_an_end = np.isclose(C, lives.since, 1e-6) | np.isclose(C, lives.until, 1e-6)
            compared += np.count_nonzero(fates)
            agreed += np.count_nonzero(fates[same | near_an_end])
    assert compared > 1000
    assert agreed >= 0.999 * compared


def test_lifetime_holds_along_the_path() -> None:
    """One certificate, the truth at many C from the outside solver."""
    rng = np.random.default_rng(4)
    alive_rows = 0
    for _ in range(10):
        case = plant(rng, shape="tall", variant="plain", C=float(fraction(rng.random(1), 6)[0] + 1))
        problem = th.Problem(case.Z, case.offsets, case.lower, case.upper)
        lives = th.lifetimes(problem, problem.certify(case.w, case.theta, case.C))
        for C in case.C * np.geomspace(0.2, 5, 9):
            w, _ = oracle.clarabel_solution(case.Z, case.offsets, case.lower, case.upper, C)
            scores = case.Z @ w + case.offsets
            alive = (lives.since <= C) & (lives.until >= C)
            rounding = 1e-6 * np.where(lives.fates == th.UPPER, 1, -1)
            assert not wrong(np.where(alive, lives.fates, th.FREE), scores + rounding).any()
            alive_rows += np.count_nonzero(alive)
    assert alive_rows > 100


# --- zero rows


@pytest.mark.parametrize("offset", [-1.0, 1.0])
def test_zero_row_is_known_for_every_C(offset: float) -> None:
    Z = np.array([[0.0, 0.0], [1.0, 0.5], [-0.5, 2.0]])
    problem = th.Problem(Z, np.array([offset, 1.0, 1.0]), np.zeros(3), np.ones(3))
    certificate = problem.certify(np.ones(2), np.full(3, 0.5), 1.0)
    lives = th.lifetimes(problem, certificate)
    assert lives.fates[0] == np.sign(offset)
    assert lives.since[0] <= 1e-12
    assert lives.until[0] == np.inf
    fates = problem.screen(certificate.ball(1e6)).fates
    assert fates[0] == np.sign(offset)
