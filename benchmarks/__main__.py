"""Measure thresher and its rivals: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import sys

from benchmarks import budgets, estimators, growth, intercept, records, report, rules, runner, single
from benchmarks.problems import GENERATED, PROBLEMS, REAL, MissingSetError, folder, load
from benchmarks.rivals import RIVALS

VALUES, QUICK_VALUES, QUICK_LIMIT = 100, 20, 5.0
PARTS = {"rules": rules, "intercept": intercept, "single": single, "growth": growth, "estimators": estimators}
QUICK_SETS = ["wine", "cpu_small"]


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition(":")[0])
    parser.add_argument("--sets", nargs="+", choices=PROBLEMS, metavar="SET", help=", ".join(PROBLEMS))
    parser.add_argument("--rivals", nargs="+", metavar="RIVAL", help="names or beginnings of names; not kept")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a rival may take on a set (60)")
    parser.add_argument("--quick", action="store_true", help="a few sets and values of C; nothing is kept")
    parser.add_argument(
        "--only",
        choices=["sets", "budgets", *PARTS],
        help="measure only this part",
    )
    return parser.parse_args()


def say(line: str) -> None:
    """Report progress."""
    print(line, file=sys.stderr, flush=True)


def wanted_sets(options: argparse.Namespace) -> list[str]:
    """Return the sets that are there, and say which are not."""
    default = QUICK_SETS if options.quick else list(REAL)
    if folder() is None and not options.sets:
        say(f"skipped {', '.join(default)}: THRESHER_DATA is not set; taking generated sets")
        return list(GENERATED)
    found = []
    for name in options.sets or default:
        try:
            load(name)
        except MissingSetError as missing:
            say(f"skipped {name}: {missing}")
        else:
            found.append(name)
    return found


def wanted_rivals(options: argparse.Namespace) -> list[str]:
    """Return the rivals whose names begin as asked for."""
    if not options.rivals:
        return list(RIVALS)
    beginnings = tuple(name.lower() for name in options.rivals)
    found = [name for name in RIVALS if name.lower().startswith(beginnings)]
    if not found:
        sys.exit(f"rivals must begin like one of {', '.join(RIVALS)}")
    return found


def compare(options: argparse.Namespace, *, keep: bool) -> list[records.Record]:
    """Run all rivals on all sets, print the table, keep it where it is complete."""
    count = QUICK_VALUES if options.quick else VALUES
    limit = min(options.limit, QUICK_LIMIT) if options.quick else options.limit
    measured = []
    for found in runner.measure(wanted_sets(options), wanted_rivals(options), limit, count, say):
        measured += found
        if keep:
            records.write(found, found[0].set)
    print(report.screen(measured), flush=True)
    return measured


def main() -> int:
    """Measure, print, and rewrite the pages from what is kept; 1 where thresher's default missed its gap."""
    options = arguments()
    keep = not options.quick and not options.rivals
    measured = compare(options, keep=keep) if options.only in (None, "sets") else []
    fresh = not options.quick and options.only in (None, "budgets")
    figures = budgets.measure() if fresh else budgets.kept()
    header = ["what", "measured", "budget", "met", "remarks"]
    print("\n" + report.aligned(header, [figure.cells() for figure in figures]))
    for name, part in PARTS.items():
        if not options.quick and options.only in (None, name):
            print("\n" + part.publish(say))
    if keep:
        report.publish(figures)
    return int(any(record.default and "MISSED" in record.note for record in measured))


if __name__ == "__main__":
    sys.exit(main())
