"""Rejection rates along C: what each rule proves from exact solutions at the C before."""

from __future__ import annotations

from thresher.paper.published import SVM_RULES
from thresher.paper.records import Rejection
from thresher.paper.reference import Reference
from thresher.rules import find_rule


def rules_for(loss: str, *, toy: bool = False) -> tuple[str, ...]:
    """Return the rules the paper tries: three on the real SVM sets, DVI alone elsewhere."""
    return SVM_RULES if loss == "hinge" and not toy else ("dvi",)


def rejection(reference: Reference, name: str) -> Rejection:
    """Screen for every C with one rule, and check what it proves."""
    rule, path, ledger = find_rule(name), reference.path, reference.origin.ledger.copy()
    fates, shares = [], []
    for k, C in enumerate(path.C.tolist()):
        reduced = rule.screen(ledger, reference.before(k), C, lambda: path[-1].point)
        fates.append(reduced.fates)
        shares.append(reduced.shares)
    lower, upper = (list(column) for column in zip(*shares, strict=True))
    return Rejection(name, lower, upper, reference.check(fates))
