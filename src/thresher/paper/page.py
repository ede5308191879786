"""The page: one HTML file that needs nothing else, and the same in Markdown for the documentation."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from thresher.paper.content import TITLE, Section, sections
from thresher.paper.figures import figures, needed
from thresher.paper.records import Report
from thresher.paper.tables import markdown

TEMPLATE = "page.html.j2"
EMPHASIS, CODE = re.compile(r"\*([^*]+)\*"), re.compile(r"`([^`]+)`")
# Equations of the documentation: linked there, left out of the page that stands alone.
TAG, ASIDE = re.compile(r"\[([A-Z]+)\]"), re.compile(r", \[[A-Z]+\]")


def html(report: Report, drawn: dict[str, bytes]) -> str:
    """Return the page with its figures inside."""
    jinja2 = needed("jinja2")
    markup: Callable[[str], Any] = needed("markupsafe").Markup
    escape: Callable[[str], Any] = needed("markupsafe").escape

    def prose(text: str) -> Any:
        marked = EMPHASIS.sub(r"<em>\1</em>", str(escape(ASIDE.sub("", text))))
        return markup(CODE.sub(r"<code>\1</code>", marked))

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["prose"] = prose
    text = resources.files(__package__).joinpath(TEMPLATE).read_text(encoding="utf-8")
    images = {name: base64.b64encode(image).decode() for name, image in drawn.items()}
    page: str = environment.from_string(text).render(title=TITLE, sections=sections(report), images=images)
    return page


def markdown_page(report: Report, drawn: dict[str, bytes], prefix: str) -> str:
    """Return the page as Markdown, with figures in files that begin with ``prefix``."""
    parts = [part for section in sections(report) for part in _markdown(section, drawn, prefix)]
    return TAG.sub(lambda tag: f"[{tag[0]}](maths.md#{tag[1].lower()})", "\n\n".join(parts)) + "\n"


def _markdown(section: Section, drawn: dict[str, bytes], prefix: str) -> list[str]:
    parts = [f"## {section.title}", *section.paragraphs]
    if section.points:
        parts.append("\n".join(f"- {point}" for point in section.points))
    if section.figure in drawn:
        parts += [f"![{section.caption}]({prefix}{section.figure}.png)", f"*{section.caption}*"]
    for table in section.tables:
        if table.rows:
            parts += [f"**{table.caption}**", markdown(table)]
    return [*parts, *section.after]


def write(report: Report, folder: Path) -> list[Path]:
    """Write the page, its figures and the results they were made from into ``folder``."""
    drawn = figures(report)
    folder.mkdir(parents=True, exist_ok=True)
    report.save(folder / "results.json")
    (folder / "paper.html").write_text(html(report, drawn), encoding="utf-8")
    for name, image in drawn.items():
        (folder / f"{name}.png").write_bytes(image)
    return [folder / "paper.html", *(folder / f"{name}.png" for name in drawn)]


def write_docs(report: Report, folder: Path) -> Path:
    """Write the Markdown page and its figures into the documentation's folder of generated files."""
    drawn, prefix = figures(report), "paper-"
    for name, image in drawn.items():
        (folder / f"{prefix}{name}.png").write_bytes(image)
    page = folder / "paper.md"
    page.write_text(markdown_page(report, drawn, prefix), encoding="utf-8")
    return page
