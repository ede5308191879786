"""The command line of ``python -m thresher.paper``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from thresher.paper.published import NAMES
from thresher.paper.records import QUICK, Report, Settings

OUT = Path("build/paper")
# What is measured is kept in this file, from set to set.
KEPT = "results.json"
# Bytes between two lines about a download.
STEP = 1 << 22


def parser() -> argparse.ArgumentParser:
    """Return what the command line understands."""
    made = argparse.ArgumentParser(
        prog="python -m thresher.paper", description="Run the experiments of the DVI paper and write a page."
    )
    made.add_argument("--quick", action="store_true", help="few values of C, few rows; under two minutes")
    made.add_argument(
        "--data", metavar="FOLDER", help="folder of the real sets (THRESHER_DATA; else they are downloaded)"
    )
    made.add_argument("--out", metavar="DIR", type=Path, default=OUT, help=f"where to write ({OUT})")
    made.add_argument(
        "--docs", metavar="DIR", type=Path, help="write paper.md and figures for the documentation there too"
    )
    made.add_argument("--sets", nargs="+", choices=NAMES, metavar="SET", help=", ".join(NAMES))
    made.add_argument("--gap", type=float, help=f"relative gap of the timed solves ({Settings().gap:g})")
    made.add_argument("--passes", type=int, help=f"most passes of a timed solve ({Settings().epochs})")
    made.add_argument(
        "--resume", action="store_true", help=f"take over the sets that {KEPT} holds for the same settings"
    )
    made.add_argument(
        "--redraw", metavar="FILE", type=Path, help="draw the page from this results.json; nothing is run"
    )
    return made


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings asked for, or say which cannot be."""
    settings = QUICK if options.quick else Settings()
    if options.gap is not None:
        if not 0.0 < options.gap < 1.0:
            raise ValueError(f"--gap must lie strictly between 0 and 1, got {options.gap:g}")
        settings = replace(settings, gap=options.gap)
    if options.passes is not None:
        if options.passes < 1:
            raise ValueError(f"--passes must be at least 1, got {options.passes}")
        settings = replace(settings, epochs=options.passes)
    return settings


def check(options: argparse.Namespace) -> None:
    """Refuse options that others would make idle."""
    idle = ("quick", "data", "sets", "gap", "passes", "resume")
    given = [f"--{name}" for name in idle if getattr(options, name) not in (None, False)]
    if options.redraw is not None and given:
        raise ValueError(f"--redraw runs nothing, so it does not go with {', '.join(given)}")
    partial = [name for name in given if name in ("--quick", "--sets")]
    if options.docs is not None and partial:
        raise ValueError(f"--docs is for a full run, so it does not go with {', '.join(partial)}")


def is_complete(report: Report) -> bool:
    """Say whether every set is there, with all of its rows."""
    return not report.is_quick and len(report.results) == len(NAMES)


def say(line: str) -> None:
    """Report progress."""
    print(line, file=sys.stderr, flush=True)


class Progress:
    """Says every few megabytes how far a download is."""

    def __init__(self) -> None:
        self.said: dict[str, int] = {}

    def __call__(self, url: str, done: int, total: int | None) -> None:
        if done - self.said.get(url, -STEP) >= STEP or done == total:
            self.said[url] = done
            say(f"{url}: {done / 1e6:.1f}" + (f" of {total / 1e6:.1f} MB" if total else " MB"))


def obtained(options: argparse.Namespace) -> Report:
    """Return the results: kept ones, or those of a run, which keeps them as it goes."""
    if options.redraw is not None:
        return Report.load(options.redraw)
    from thresher.paper.run import measure_all

    settings = settings_of(options)
    options.out.mkdir(parents=True, exist_ok=True)
    return measure_all(
        options.sets or list(NAMES),
        settings,
        folder=options.data,
        say=say,
        progress=Progress(),
        keep=lambda report: report.save(options.out / KEPT),
        earlier=kept(options.out / KEPT, settings) if options.resume else None,
    )


def kept(file: Path, settings: Settings) -> Report:
    """Return the report of an interrupted run, if this one would have the same settings."""
    report = Report.load(file)
    if report.settings != settings:
        raise ValueError(f"{file} was measured with other settings; leave out --resume to begin anew")
    return report


def show(report: Report) -> None:
    """Print the rates, the speed-ups and the findings."""
    from thresher.paper import tables, verdicts

    for table in (tables.rates(report), tables.accounts(report), tables.checks(report)):
        print(tables.aligned(table), end="\n\n")
    print("\n".join(verdicts.summary(report)), flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run, write, print; 1 where a rule discarded a support vector, 2 where something is missing."""
    options = parser().parse_args(arguments)
    # Only now: help need not wait for the compiler.
    from thresher.paper import figures, page

    try:
        check(options)
        for module in ("jinja2", "matplotlib"):
            figures.needed(module)
        report = obtained(options)
        if not report.results:
            raise ValueError("there is nothing to write about: no set could be had")
        if options.docs is not None and not is_complete(report):
            raise ValueError("--docs is for the results of all sets, every row of them")
        written = page.write(report, options.out)
        if options.docs is not None:
            written.append(page.write_docs(report, options.docs))
    except (ImportError, OSError, ValueError) as error:
        say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        say(f"interrupted; go on with --resume, or draw what is finished with --redraw {options.out / KEPT}")
        return 130
    show(report)
    print("\nWritten:", *written)
    return int(report.checked.wrong > 0)
