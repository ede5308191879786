"""What the figures say, in sentences whose every number is computed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from thresher.paper.prose import said
from thresher.paper.published import PUBLISHED, SVM, SVM_RULES
from thresher.paper.records import Report, Result
from thresher.paper.tables import (
    RATE_TOLERANCE,
    as_published,
    factor,
    is_near,
    seconds,
    share,
    title,
)

# A solve of so few passes leaves little to save: a screening costs about one.
FEW_PASSES = 10.0
# The mean rate of a timed run is worse than that from exact points if it is lower by more than this.
RATE_LOST = 0.02
# A rate that one of the paper's speed-ups amounts to is the one measured if they differ by no more.
RATE_EXPLAINED = 0.02
# A gap that would do is worth naming if it is smaller than the stated one by this factor.
CLEARLY = 0.5
# Time does not follow the visits if these fall by a factor larger by this factor.
NOT_FOLLOWED = 1.5
# Seconds a C up to which that is the calls themselves, some tens of microseconds each.
FIXED_COST = 3e-3
# A model whose largest prediction is below this share of the mean target predicts nothing.
NO_PREDICTION = 0.01


def summary(report: Report) -> list[str]:
    """Return the findings, one sentence each."""
    return [*_rates(report), *_orders(report), _speedups(report), *_not_reached(report), safety(report)]


def safety(report: Report) -> str:
    """Return how many discarded rows were checked, and how many were wrong."""
    found = report.checked
    counts = {"values": report.settings.values, "sets": len(report.results)}
    return said("checked", discarded=found.discarded, wrong=found.wrong, **counts)


def _rates(report: Report) -> Iterator[str]:
    named = [result for result in report.results if PUBLISHED[result.name].share is not None]
    far = [title(result) for result in named if not is_near(result)]
    if named:
        but = f" (not {', '.join(far)})" if far else ""
        near = len(named) - len(far)
        yield said("rates", tolerance=RATE_TOLERANCE, near=near, named=len(named), but=but)


def _orders(report: Report) -> Iterator[str]:
    found = [result for result in report.results if result.name in SVM]
    by_rate = [_falls([-one.rejection_of(rule).mean for rule in SVM_RULES]) for one in found]
    by_time = [_falls([one.trial_of(rule).total for rule in SVM_RULES]) for one in found]
    by_visits = [_falls([one.trial_of(rule).looks for rule in SVM_RULES]) for one in found]
    if found:
        counts = {"by_rate": sum(by_rate), "by_time": sum(by_time), "by_visits": sum(by_visits)}
        yield said("orders", **counts, sets=len(found))


def _falls(values: list[float]) -> bool:
    return all(one > other for one, other in pairwise(values))


def _speedups(report: Report) -> str:
    in_time = sum(result.speedup_of("dvi") >= _theirs(result) for result in report.results)
    in_visits = sum(result.visits_saved_by("dvi") >= _theirs(result) for result in report.results)
    of_solver = sum(result.solver_visits_saved_by("dvi") >= _theirs(result) for result in report.results)
    counts = {"in_time": in_time, "in_visits": in_visits, "of_solver": of_solver}
    return said("speedups", **counts, sets=len(report.results))


def _theirs(result: Result) -> float:
    return PUBLISHED[result.name].run_of("dvi").speedup


def _not_reached(report: Report) -> Iterator[str]:
    missing = [(result, _missing(report, result)) for result in report.results]
    sets = ", ".join(
        f"{title(one)} ({count} within {one.epochs:,} passes)" for one, count in missing if count
    )
    if sets:
        yield said("not_reached", gap=report.settings.gap, sets=sets)


def fewer_passes(report: Report) -> str:
    """Return in brackets which sets were allowed fewer passes than the others."""
    fewer = [one for one in report.results if one.epochs < report.settings.epochs]
    return f" ({', '.join(f'{one.epochs:,} on {title(one)}' for one in fewer)})" if fewer else ""


def _missing(report: Report, result: Result) -> int:
    return result.trial_of("none").within(report.settings.gap).count(False)


def is_trivial(result: Result) -> bool:
    """Say whether the optimal model of a regression predicts next to nothing."""
    return result.loss == "absolute" and result.prediction < NO_PREDICTION


def trivial_models(report: Report) -> list[str]:
    """Return a sentence for every regression whose optimal model predicts next to nothing."""
    return [
        said(
            "trivial",
            set=title(result),
            one_sign=result.one_sign,
            C=result.C[-1],
            prediction=result.prediction,
        )
        for result in report.results
        if is_trivial(result)
    ]


def solver_of_the_paper(report: Report) -> list[str]:
    """Return what the paper's times say of its solver."""
    cost = {result.name: PUBLISHED[result.name].microseconds for result in report.results}
    cheap = [result.name for result in report.results if is_trivial(result)]
    found = []
    if cost:
        near = sum(abs(_rate_lacking(one, "dvi")) <= RATE_EXPLAINED for one in report.results)
        found.append(said("implied", tolerance=RATE_EXPLAINED, near=near, sets=len(cost)))
        found += _weaker(report)
        found.append(said("papers_cost", least=seconds(min(cost.values())), most=seconds(max(cost.values()))))
    if cheap:
        each = ", ".join(f"{seconds(cost[name])} µs on {PUBLISHED[name].title}" for name in cheap)
        found.append(said("papers_visit", cheap=each))
    return found


def _rate_lacking(result: Result, rule: str) -> float:
    """Return by how much the rate falls short of that the paper's speed-up amounts to."""
    return PUBLISHED[result.name].run_of(rule).rate - result.rejection_of(rule).mean


def _weaker(report: Report) -> Iterator[str]:
    found = [one for one in report.results if one.name in SVM]
    lacking = [_rate_lacking(one, rule) for one in found for rule in ("ssnsv", "essnsv")]
    if any(value > RATE_EXPLAINED for value in lacking):
        yield said("weaker", least=min(lacking), most=max(lacking))


def reasons(report: Report) -> list[str]:
    """Return for every set whether the paper's speed-up is reached, and what accounts for it if not."""
    return [_reason(report, result) for result in report.results]


def _reason(report: Report, result: Result) -> str:
    mine, theirs = result.speedup_of("dvi"), _theirs(result)
    values = {"set": title(result), "here": factor(mine), "theirs": as_published(theirs)}
    if mine >= theirs:
        return said("reached", **values)
    because = [*_few_passes(result), *_capped(report, result), *_coarse(report, result)]
    because += [*_fixed_cost(result), *_bounded(result)]
    return said("fell_short", **values, because=" ".join(because))


def _few_passes(result: Result) -> Iterator[str]:
    passes = sum(result.trial_of("none").passes) / len(result.C)
    if passes <= FEW_PASSES:
        yield said("few_passes", passes=passes)


def _capped(report: Report, result: Result) -> Iterator[str]:
    count = _missing(report, result)
    if count:
        yield said("capped", count=count)


def _coarse(report: Report, result: Result) -> Iterator[str]:
    here, exact = result.trial_of("dvi").mean_share, result.rejection_of("dvi").mean
    if here < exact - RATE_LOST:
        yield said("coarse", here=share(here), exact=share(exact))
        if min(result.bearable) < CLEARLY * report.settings.gap:
            yield said("coarse_gap", least=min(result.bearable), gap=report.settings.gap)


def _fixed_cost(result: Result) -> Iterator[str]:
    visits, each = result.visits_saved_by("dvi"), result.trial_of("dvi").total / len(result.C)
    if visits > NOT_FOLLOWED * result.speedup_of("dvi") and each < FIXED_COST:
        yield said("fixed_cost", visits=factor(visits), each=seconds(1e3 * each))


def _bounded(result: Result) -> Iterator[str]:
    left = result.left_where_work_is("dvi")
    if left > 0.0 and 1.0 / left < _theirs(result):
        yield said("bounded", left=share(left), factor=factor(1.0 / left))


def printed_finding(report: Report) -> str:
    """Return on which sets the rule as printed discarded support vectors."""
    wrong = {title(result): result.as_printed[-1].checked.wrong for result in report.results}
    sets = ", ".join(f"{name} ({count:,})" for name, count in wrong.items() if count)
    return said("printed_wrong", sets=sets) if sets else said("printed_right")
