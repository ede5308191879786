"""Sphinx configuration."""

import re

import thresher

project = "thresher"
author = "The thresher developers"
project_copyright = "2026, The thresher developers"
release = version = thresher.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = "thresher"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = False

LITERAL = re.compile(r"(``.+?``|:\w+:`.+?`)")
TAG = re.compile(r"(?<!\w)\[([A-Z]+\*?)\]")
BAR = re.compile(r"\|(?=\S)")


def link_tag(match):
    """[BALL] becomes a link to its place in maths.md; [DVI*] has the label dvi-gram."""
    label = "dvi-gram" if match[1] == "DVI*" else match[1].lower()
    return f":ref:`{match[0]} <{label}>`"


def prepare_docstring(app, what, name, obj, options, lines):
    """Link equation tags, and let |w| be a norm: reStructuredText reads bars as substitutions."""
    for i, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        parts = LITERAL.split(line)
        parts[::2] = [TAG.sub(link_tag, BAR.sub(r"\|", part)) for part in parts[::2]]
        lines[i] = "".join(parts)


def setup(app):
    """Register the docstring hook."""
    app.connect("autodoc-process-docstring", prepare_docstring)
