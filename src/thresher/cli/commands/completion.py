"""``thresher completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from thresher.cli.errors import DONE, UseError


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print the script that completes thresher's commands and options in SHELL.

    For bash: thresher completion bash > ~/.thresher-completion, and source that file in ~/.bashrc.
    """
    script = get_completion_class(shell)
    if script is None:
        raise UseError(f"there is no completion for {shell}")
    click.echo(script(context.find_root().command, {}, "thresher", "_THRESHER_COMPLETE").source())
    return DONE
