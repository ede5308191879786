"""What `import thresher` offers: lazily, and the same to type checkers as to everybody else."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import thresher as th

SOURCE = Path(th.__file__)


def names_for_type_checkers() -> set[str]:
    """The names that the block under TYPE_CHECKING imports."""
    tree = ast.parse(SOURCE.read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in imports for alias in node.names}


def test_every_name_resolves() -> None:
    for name in th.__all__:
        assert getattr(th, name) is not None
    assert set(th.__all__) <= set(dir(th))


def test_type_checkers_see_the_same_names() -> None:
    assert names_for_type_checkers() == set(th.__all__)


def test_the_package_imports_nothing_before_it_is_used() -> None:
    code = "import sys, thresher; sys.exit(any(m in sys.modules for m in ('numba', 'numpy', 'sklearn')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'svm'"):
        th.svm  # noqa: B018


def test_the_citation_names_this_version() -> None:
    citation = SOURCE.parents[2] / "CITATION.cff"
    if not citation.exists():
        pytest.skip("not a checkout")
    assert f"version: {th.__version__}\n" in citation.read_text()
