"""The page: one HTML file with its style, its script and its numbers inside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from thresher.report.content import content_of

if TYPE_CHECKING:
    from thresher.path import Path


@dataclass(frozen=True)
class Report:
    """A page as text; ``save`` writes it."""

    html: str = field(repr=False)

    def save(self, file: str | FilePath) -> None:
        """Write the page."""
        FilePath(file).write_text(self.html, encoding="utf-8")


def jinja() -> Any:
    """Return jinja2, or say which extra installs it."""
    try:
        import jinja2
    except ImportError:
        raise ImportError("reports need jinja2: pip install 'thresher[report]'") from None
    return jinja2


def report_path(
    path: Path,
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
    scores: Any | None = None,
    chosen: float | None = None,
) -> Report:
    """Return the page of a path; parameters as in `Path.report`."""
    loader = jinja().Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = loader.from_string(_file("page.html.j2"))
    content = content_of(path, names, scores, chosen)
    return Report(
        template.render(
            title=title or f"{path.problem.loss} path",
            facts=content["facts"],
            has_scores=scores is not None,
            style=_file("style.css"),
            script=_file("script.js"),
            # No name of a column may end the script element.
            data=json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        )
    )


def _file(name: str) -> str:
    return resources.files("thresher.report").joinpath(name).read_text(encoding="utf-8")
