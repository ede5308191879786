"""Sphinx configuration."""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
from click.testing import CliRunner
from docutils import nodes
from docutils.parsers.rst import Directive

import thresher
from thresher.cli.app import commands

project = "thresher"
author = "The thresher developers"
project_copyright = "2026, The thresher developers"
release = version = thresher.__version__

mpl.use("Agg")
EXTRA = Path(__file__).parent / "_extra"
EXTRA.mkdir(exist_ok=True)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
}
# Pickled only to see whether it changed; no gallery is worth a warning.
suppress_warnings = ["config.cache"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
exclude_patterns = [
    "_build",
    "_extra",
    "_generated",
    "sg_execution_times.rst",
    "gallery/sg_execution_times.rst",
]
html_extra_path = ["_extra"]
html_theme = "furo"
html_title = "thresher"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = False

LITERAL = re.compile(r"(``.+?``|:\w+:`.+?`)")
TAG = re.compile(r"(?<!\w)\[([A-Z]+\*?)\]")
# References of inherited docstrings to pages of scikit-learn's.
OUTSIDE = re.compile(r":ref:`([^`<]+?)\s*<(?:accuracy_score|r2_score)>`")
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
        line = OUTSIDE.sub(r"\1", line.replace("(n_features_in_,)", "(n_features_in\\_,)"))
        parts = LITERAL.split(line)
        parts[::2] = [TAG.sub(link_tag, BAR.sub(r"\|", part)) for part in parts[::2]]
        lines[i] = "".join(parts)


# What scikit-learn adds to estimators refers to pages of its own documentation.
OF_SCIKIT_LEARN = re.compile(r"set_\w+_request|get_metadata_routing")


def skip_member(app, what, name, obj, skip, options):
    """Leave out what scikit-learn documents."""
    return True if OF_SCIKIT_LEARN.fullmatch(name) else None


class CommandHelp(Directive):
    """The help of one command, as people see it."""

    required_arguments = 1

    def run(self):
        """Return a block with the help."""
        called = CliRunner().invoke(commands, [self.arguments[0], "--help"], prog_name="thresher")
        return [nodes.literal_block(text=called.output, language="text")]


def write_report(app):
    """Write the page that docs/report.md links to."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 500)
    X = rng.normal(size=(1000, 6)) + np.linspace(0.0, 0.8, 6) * y[:, None]
    search = thresher.LinearSVCCV(Cs=np.geomspace(1e-4, 1, 60), cv=5).fit(X, y)
    path = thresher.svm_path(X, y, C=search.Cs_, intercept="free")
    page = path.report(title="Two clouds", scores=search.scores_, chosen=search.C_)
    page.save(EXTRA / "example-report.html")


def setup(app):
    """Register hooks and the directive."""
    app.connect("autodoc-process-docstring", prepare_docstring)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("builder-inited", write_report)
    app.add_directive("command-help", CommandHelp)
