"""The examples in the documentation run and give what they say."""

import doctest
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.svm import SVC

mpl.use("Agg")
DOCS = Path(__file__).parents[1] / "docs"
PAGES = [page for page in sorted(DOCS.glob("*.md")) if ">>>" in page.read_text()]


def test_there_is_something_to_run() -> None:
    assert {"estimators.md", "reduction.md"} <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page: Path) -> None:
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_fences_close_after_a_blank_line(page: Path) -> None:
    """Otherwise the fence would count as output that is expected."""
    for block in re.findall(r"```python\n(>>>.*?)```", page.read_text(), re.DOTALL):
        assert block.endswith("\n\n")


def test_readme_s_ten_lines_run() -> None:
    readme = (DOCS.parent / "README.md").read_text()
    code = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    y = np.where(np.arange(200) % 2, 1, -1)
    given = {"X": np.random.default_rng(0).normal(size=(200, 3)) + y[:, None], "y": y, "SVC": SVC}
    exec("\n".join(code), given)
    assert len(given["path"]) == 100
