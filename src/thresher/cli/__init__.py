"""The command ``thresher``, with the extra ``cli``."""

import sys


def main() -> None:
    """Run the command that the arguments ask for, and exit with its code."""
    try:
        import click
        import rich

        del click, rich
        from thresher.cli.app import run

        raise SystemExit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # while importing; commands answer to it themselves
        _end("interrupted", 130)
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        _end("the command line needs click and rich: pip install 'thresher[cli]'", 2)


def _end(message: str, code: int) -> None:
    print(f"thresher: {message}", file=sys.stderr)
    raise SystemExit(code) from None
