"""``thresher paper``."""

from __future__ import annotations

from importlib import import_module

import click

from thresher.cli.errors import UseError


@click.command(
    "paper",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Run the experiments of the DVI paper; --help says with which options."""
    try:
        main = import_module("thresher.paper.command").main
    except ImportError:
        raise UseError("the paper's experiments are not part of this installation") from None
    try:
        return int(main(list(arguments)))
    except SystemExit as ended:  # argparse ends so, having said why
        return ended.code if isinstance(ended.code, int) else 2
