"""The words of the page, from `prose.toml`, with values put in by name."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def texts() -> dict[str, str]:
    """Return all texts by name, each as one line."""
    content = resources.files(__package__).joinpath("prose.toml").read_text(encoding="utf-8")
    return {name: " ".join(text.split()) for name, text in tomllib.loads(content).items()}


def said(name: str, **values: Any) -> str:
    """Return one text with its values."""
    return texts()[name].format(**values)
