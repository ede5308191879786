"""The gallery's examples run without a warning."""

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


def test_there_are_enough() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_draws(example: Path) -> None:
    mpl.use("Agg")
    runpy.run_path(str(example), run_name="__main__")
    assert plt.get_fignums()
    plt.close("all")
