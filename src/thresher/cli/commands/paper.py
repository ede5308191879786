"""``thresher paper``."""

from __future__ import annotations

import click


@click.command(
    "paper",
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Run the experiments of the DVI paper; --help says with which options."""
    from thresher.paper.command import main

    try:
        return int(main(list(arguments)))
    except SystemExit as ended:  # argparse ends so, having said why
        return ended.code if isinstance(ended.code, int) else 2
