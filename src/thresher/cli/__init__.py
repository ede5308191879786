"""The command ``thresher``, with the extra ``cli``."""

import sys


def main() -> None:
    """Run the command that the arguments ask for, and exit with its code."""
    try:
        import click
        import rich
    except ImportError:
        print("thresher: the command line needs click and rich: pip install 'thresher[cli]'", file=sys.stderr)
        raise SystemExit(2) from None
    del click, rich
    from thresher.cli.app import run

    raise SystemExit(run(sys.argv[1:]))
