"""Imports go one way, plug-ins do not know each other, and every cited equation exists."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "thresher"
MATHS = ROOT / "docs" / "maths.md"

# From the bottom up; a module may import its own level and those before it.
LEVELS = [
    {"loops", "status"},
    {"rows"},
    {
        "losses",
        "validation",
        "problem",
        "frame",
        "anchor",
        "certificate",
        "point",
        "regions",
        "fates",
        "ledger",
        "sums",
        "balance",
        "sharpness",
    },
    {"rules", "solvers"},
    {"grid", "solution", "walk"},
    {"path", "plot", "archive", "centre", "report"},
    {"api", "reduction", "datasets"},
    {"estimators"},
    {"paper"},
    {"__init__"},
    {"cli", "__main__"},
]
FAMILIES = ["rules", "solvers"]
TAG = re.compile(r"(?<![\w\]])\[([A-Z][A-Z-]+\*?|[PD])\]")
DEFINITION = re.compile(r"(?:\*\*|__)\[(.+?)\](?:\*\*|__)")  # a tag in bold

MODULES = sorted(SOURCE.rglob("*.py"))


def name_of(module: Path) -> tuple[str, ...]:
    return module.relative_to(SOURCE).with_suffix("").parts


def level_of(part: str) -> int:
    for level, parts in enumerate(LEVELS):
        if part in parts:
            return level
    raise LookupError(f"{part} has no level: place it in LEVELS of {Path(__file__).name}")


def imports_of(module: Path) -> Iterator[tuple[str, ...]]:
    """Parts of every name of this package that a module imports, late imports included."""
    package = ("thresher", *name_of(module)[:-1])
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            source = base + tuple((node.module or "").split(".") if node.module else ())
            names = [(*source, alias.name) for alias in node.names]
        else:
            continue
        yield from (name[1:] for name in names if name[0] == "thresher")


def test_there_is_something_to_check() -> None:
    assert len(MODULES) > 10
    assert any(list(imports_of(module)) for module in MODULES)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: "/".join(name_of(module)))
def test_imports_go_down(module: Path) -> None:
    own = level_of(name_of(module)[0])
    above = [name for name in imports_of(module) if name and level_of(name[0]) > own]
    assert not above, f"{'.'.join(name_of(module))} imports from above: {above}"


def plugins_of(family: str) -> set[str]:
    """The modules a family offers by name: what its __init__ imports, their interface apart."""
    offered = {name[1] for name in imports_of(SOURCE / family / "__init__.py") if name[0] == family}
    return offered - {"base"}


@pytest.mark.parametrize("family", FAMILIES)
def test_plugins_do_not_know_each_other(family: str) -> None:
    plugins = plugins_of(family)
    assert len(plugins) >= 2
    for plugin in plugins:
        for name in imports_of(SOURCE / family / f"{plugin}.py"):
            assert name[0] not in set(FAMILIES) - {family}, f"{plugin} imports {name}"
            known = plugins & set(name[1:2]) - {plugin}
            assert name[0] != family or not known, f"{plugin} imports {name}"


def test_only_storage_asks_what_rows_are() -> None:
    """Ask data what it can do, never what it is."""
    for module in MODULES:
        if name_of(module)[0] not in {"loops", "rows"}:
            assert "issparse" not in module.read_text(), module.name


def prose_of(module: Path) -> Iterator[str]:
    """Docstrings, other bare strings, and comments."""
    text = module.read_text()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_every_cited_tag_is_defined() -> None:
    cited = {tag for module in MODULES for prose in prose_of(module) for tag in TAG.findall(prose)}
    defined = set(DEFINITION.findall(MATHS.read_text()))
    assert len(cited) >= 5
    assert not cited - defined, f"docs/maths.md does not define {sorted(cited - defined)}"


def test_nothing_names_the_shared_folder() -> None:
    for module in MODULES:
        assert "shared/" not in module.read_text(), module.name
