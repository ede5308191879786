"""What the paper reports: its tables, number by number, and what its text says of its charts.

Wang, Wonka, Ye: "Scaling SVM and Least Absolute Deviations via Exact Data Reduction", ICML 2014. Seconds are
for 100 values of C. Two of its speed-ups are not the quotients of the times beside them: wine with ESSNSV
(76.52 / 17.17 is 4.46) and houses (21.43 / 0.19 is 112.8, within the rounding of 0.19).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class PublishedRun:
    """One block of the paper's tables: seconds of the rule, of "Init.", in total, and the speed-up."""

    rule: str
    screening: float
    init: float
    total: float
    speedup: float

    @property
    def rate(self) -> float:
        """The mean rate that the speed-up amounts to, where time is proportional to the rows left."""
        return 1.0 - 1.0 / self.speedup


@dataclass(frozen=True)
class Published:
    """One set as the paper has it; ``share`` is the mean rejection rate its text names, if it does."""

    title: str
    rows: int
    columns: int
    solver: float
    runs: tuple[PublishedRun, ...]
    share: float | None
    words: str

    def run_of(self, rule: str) -> PublishedRun:
        """Return the block of one rule."""
        return next(run for run in self.runs if run.rule == rule)

    @property
    def microseconds(self) -> float:
        """Time of the solver without screening, per row and C."""
        return 1e6 * self.solver / (VALUES * self.rows)


VALUES: Final = 100
TOYS: Final = ("toy1", "toy2", "toy3")
SVM: Final = ("ijcnn1", "wine", "covtype_6v7")
LAD: Final = ("magic", "cpu_small", "houses")
NAMES: Final = (*TOYS, *SVM, *LAD)
# The rules tried on the SVM sets, the weakest first; DVI alone on the others.
SVM_RULES: Final = ("ssnsv", "essnsv", "dvi")

PUBLISHED: Final = {
    "toy1": Published(
        "Toy1",
        2000,
        2,
        11.83,
        (PublishedRun("dvi", 0.02, 0.12, 0.20, 59.15),),
        None,
        "almost all of the non-support vectors",
    ),
    "toy2": Published(
        "Toy2",
        2000,
        2,
        13.68,
        (PublishedRun("dvi", 0.03, 0.15, 0.52, 26.31),),
        None,
        "not described",
    ),
    "toy3": Published(
        "Toy3",
        2000,
        2,
        15.35,
        (PublishedRun("dvi", 0.03, 0.16, 0.61, 25.16),),
        None,
        "a large portion, LOWER comparable to UPPER",
    ),
    "ijcnn1": Published(
        "IJCNN1",
        49990,
        22,
        4669.14,
        (
            PublishedRun("ssnsv", 2.08, 92.45, 2018.55, 2.31),
            PublishedRun("essnsv", 2.09, 91.33, 1552.72, 3.01),
            PublishedRun("dvi", 0.99, 42.67, 828.02, 5.64),
        ),
        0.8,
        "about 80%",
    ),
    "wine": Published(
        "Wine",
        6497,
        12,
        76.52,
        (
            PublishedRun("ssnsv", 0.02, 1.56, 21.85, 3.50),
            PublishedRun("essnsv", 0.03, 1.60, 17.17, 4.47),
            PublishedRun("dvi", 0.01, 0.67, 11.62, 6.59),
        ),
        0.8,
        "more than 80%",
    ),
    "covtype_6v7": Published(
        "Forest Covertype",
        37877,
        54,
        1675.46,
        (
            PublishedRun("ssnsv", 2.73, 35.52, 220.58, 7.60),
            PublishedRun("essnsv", 2.89, 36.13, 156.23, 10.72),
            PublishedRun("dvi", 1.27, 12.57, 21.16, 79.18),
        ),
        1.0,
        "almost all",
    ),
    "magic": Published(
        "Magic Gamma Telescope",
        19020,
        10,
        122.34,
        (PublishedRun("dvi", 0.28, 0.12, 12.41, 9.86),),
        0.9,
        "about 90%",
    ),
    "cpu_small": Published(
        "Computer",
        8192,
        12,
        5.38,
        (PublishedRun("dvi", 0.08, 0.05, 0.28, 19.21),),
        1.0,
        "very close to 100%",
    ),
    "houses": Published(
        "Houses",
        20640,
        8,
        21.43,
        (PublishedRun("dvi", 0.06, 0.10, 0.19, 114.91),),
        1.0,
        "very close to 100%",
    ),
}
