"""What the experiments return: plain records, kept as JSON so that a page can be drawn again."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, is_dataclass
from itertools import chain, compress
from pathlib import Path
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

Record = TypeVar("Record")

# The name of the one rule that is not the package's own, and not safe.
PRINTED: Final = "printed"


@dataclass(frozen=True)
class Settings:
    """How much is run, and how exactly.

    ``gap`` is the relative duality gap every timed solve stops at, ``epochs`` the passes over the rows
    after which it stops all the same; ``loose_gap`` is for the rule as printed. ``sample`` rows of every
    real set are taken (all where it is None). A trial shorter than ``short`` seconds is timed ``repeats``
    times, and the best counts.
    """

    values: int = 100
    low: float = 1e-2
    high: float = 10.0
    gap: float = 1e-6
    epochs: int = 3_000
    loose_gap: float = 1e-3
    sample: int | None = None
    short: float = 2.0
    repeats: int = 3


# Enough to see every table and figure, not enough to compare.
QUICK: Final = Settings(values=40, sample=5000, epochs=500, repeats=1)


@dataclass(frozen=True)
class Checked:
    """How many rows a rule discarded over all C, and how many of these it should not have."""

    discarded: int
    wrong: int

    def __add__(self, other: Checked) -> Checked:
        return Checked(self.discarded + other.discarded, self.wrong + other.wrong)


@dataclass(frozen=True)
class Rejection:
    """The shares of rows that a rule proves LOWER and UPPER at each C, from exact points before it."""

    rule: str
    lower: list[float]
    upper: list[float]
    checked: Checked

    @property
    def shares(self) -> list[float]:
        """The rejection rate at each C."""
        return [low + up for low, up in zip(self.lower, self.upper, strict=True)]

    @property
    def mean(self) -> float:
        """The mean rejection rate."""
        return sum(self.shares) / len(self.shares)


@dataclass(frozen=True)
class Trial:
    """One timed run over all C: seconds, passes of the solver, share of rows left to it, gap reached.

    ``visits`` is how often the solver visited a row, ``scanned`` how often the rule did.
    """

    rule: str
    init: float
    screening: float
    seconds: list[float]
    passes: list[int]
    visits: int
    scanned: int
    left: list[float]
    gaps: list[float]
    checked: Checked

    @property
    def total(self) -> float:
        """Seconds in all, the start included."""
        return self.init + sum(self.seconds)

    @property
    def looks(self) -> int:
        """How often a row was visited in all."""
        return self.visits + self.scanned

    @property
    def mean_share(self) -> float:
        """The mean share of rows discarded in this run."""
        return 1.0 - sum(self.left) / len(self.left)

    def within(self, gap: float) -> list[bool]:
        """Say for each C whether the gap was reached."""
        return [reached <= gap for reached in self.gaps]


@dataclass(frozen=True)
class Baseline:
    """A modern solver over all C: seconds, points within the gap, points known in closed form."""

    solver: str
    rule: str
    seconds: float
    met: int
    closed: int


@dataclass(frozen=True)
class Scaling:
    """What DVI proves on one set with its columns, and its targets, scaled in one way."""

    set: str
    columns: str
    targets: str
    lower: float
    upper: float
    closed: int

    @property
    def share(self) -> float:
        """The mean rejection rate."""
        return self.lower + self.upper


@dataclass(frozen=True)
class Result:
    """Everything about one set.

    ``epochs`` is after how many passes over the rows a timed solve stopped at the latest,
    ``bearable`` for each C the relative gap up to which DVI loses little: [CARRY]; ``reference_gap``
    the worst gap of the unscreened solutions that discarded rows are checked against; ``one_sign`` the
    share of targets of the more frequent sign; ``weights`` those at the smallest and the largest C;
    ``prediction`` the largest |<x_i, w>| at the largest C, in units of the mean |y|.
    """

    name: str
    loss: str
    rows: int
    columns: int
    preparation: str
    source: str
    epochs: int
    C: list[float]
    rejections: list[Rejection]
    trials: list[Trial]
    as_printed: list[Trial]
    baselines: list[Baseline]
    scalings: list[Scaling]
    bearable: list[float]
    reference_gap: float
    one_sign: float
    prediction: float
    weights: list[list[float]]

    def rejection_of(self, rule: str) -> Rejection:
        """Return what one rule proves."""
        return next(found for found in self.rejections if found.rule == rule)

    def trial_of(self, rule: str) -> Trial:
        """Return the timed run with one rule."""
        return next(found for found in self.trials if found.rule == rule)

    @property
    def checked(self) -> Checked:
        """All rows discarded by the package's rules, timed or not."""
        safe = (found for found in self.as_printed if found.rule != PRINTED)
        runs = chain[Rejection | Trial](self.rejections, self.trials, safe)
        return sum((found.checked for found in runs), Checked(0, 0))

    def speedup_of(self, rule: str) -> float:
        """Return the time without screening in units of that with it."""
        return self.trial_of("none").total / self.trial_of(rule).total

    def same_gap_speedup_of(self, rule: str, gap: float) -> tuple[float, int]:
        """Return the speed-up over those C at which both reach the gap, and how many these are."""
        bare, trial = self.trial_of("none"), self.trial_of(rule)
        both = [one and other for one, other in zip(bare.within(gap), trial.within(gap), strict=True)]
        without, screened = (sum(compress(run.seconds, both)) for run in (bare, trial))
        return (without / (screened + trial.init) if any(both) else math.nan), sum(both)

    def visits_saved_by(self, rule: str) -> float:
        """Return how many times fewer rows are visited with a rule, its own visits counted."""
        return self.trial_of("none").looks / max(self.trial_of(rule).looks, 1)

    def solver_visits_saved_by(self, rule: str) -> float:
        """Return how many times fewer rows the solver visits with a rule, infinite where it has none left."""
        bare, trial = self.trial_of("none"), self.trial_of(rule)
        return bare.visits / trial.visits if trial.visits else math.inf

    def left_where_work_is(self, rule: str) -> float:
        """Return the share of rows left, each C weighted by the passes it takes without a rule."""
        passes = self.trial_of("none").passes
        left = self.trial_of(rule).left
        return sum(count * part for count, part in zip(passes, left, strict=True)) / max(sum(passes), 1)


@dataclass(frozen=True)
class Report:
    """All that was run, how, where and when, and how long that took in all.

    ``skipped`` says which sets were not to be had, and why.
    """

    settings: Settings
    circumstances: str
    results: list[Result]
    skipped: dict[str, str]
    seconds: float = 0.0

    @property
    def is_quick(self) -> bool:
        """Whether only some rows of the real sets were taken."""
        return self.settings.sample is not None

    @property
    def checked(self) -> Checked:
        """All rows discarded by the package's rules on all sets."""
        return sum((result.checked for result in self.results), Checked(0, 0))

    def save(self, file: Path) -> None:
        """Write the report as JSON."""
        file.write_text(json.dumps(asdict(self)) + "\n")

    @classmethod
    def load(cls, file: Path) -> Report:
        """Read a report back."""
        try:
            return _built(cls, json.loads(file.read_text()))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"{file} does not hold kept results of this version ({error!r})") from None


def _built(kind: type[Record], values: dict[str, Any]) -> Record:
    """Make a record of what JSON keeps of it."""
    hints = get_type_hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in values.items()})


def _value(hint: Any, value: Any) -> Any:
    if is_dataclass(hint):
        return _built(hint, value)  # type: ignore[arg-type]
    if get_origin(hint) is list and is_dataclass(get_args(hint)[0]):
        return [_built(get_args(hint)[0], one) for one in value]
    return value
