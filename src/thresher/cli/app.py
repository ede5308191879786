"""The group of commands; each is imported when it is asked for, so that help comes at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

import thresher as th
from thresher.cli.errors import DATA, DONE, INTERRUPTED, reason

COMMANDS = {
    "fit": "Fit a model at one C and save it.",
    "path": "Solve a whole range of C, every point with its proof.",
    "cv": "Choose C by cross-validation and save the model.",
    "predict": "Predict rows with a saved model.",
    "reduce": "Write a smaller training set with the same optimum.",
    "explain": "Say which rows are LOWER, KINK or UPPER, for which C, and why.",
    "bench": "Time the path against one fit per C of scikit-learn, on your data.",
    "paper": "Run the experiments of the DVI paper.",
    "demo": "Solve a toy problem, print a table, draw a picture.",
    "completion": "Print the script that completes commands in your shell.",
}


class Commands(click.Group):
    """Commands by name, imported when first used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"thresher.cli.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 done, 2 wrong use, 3 bad data or file, 4 not converged, 130 interrupted.",
)
@click.version_option(th.__version__, prog_name="thresher")
def commands() -> None:
    """SVM, least absolute deviations, quantile and ε-insensitive regression.

    Linear models, exact and with proof, for a whole range of C.
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; an error is one line, never a traceback."""
    try:
        code = commands.main(list(arguments) or ["--help"], prog_name="thresher", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return _said(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _said("interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has seen enough
        _silence_stdout()
        return DONE
    except OSError as error:
        _silence_stdout()
        return _said(f"{error.filename or 'output'}: {reason(error)}", DATA)
    except MemoryError as error:
        return _said(f"the data does not fit into memory: {reason(error)}", DATA)
    return code if isinstance(code, int) else DONE


def _said(message: str, code: int) -> int:
    click.echo(f"thresher: {' '.join(message.split())}", err=True)
    return code


def _silence_stdout() -> None:
    """Let what is still buffered, where it cannot be written, not fail again when Python exits."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
