"""Screening rules: one file each, found by name."""

from typing import Final

from thresher.rules.base import Rule
from thresher.rules.dvi import Dvi
from thresher.rules.dvi_gram import DviGram
from thresher.rules.essnsv import Essnsv
from thresher.rules.none import NoRule
from thresher.rules.ssnsv import Ssnsv

__all__ = ["RULES", "Dvi", "DviGram", "Essnsv", "NoRule", "Rule", "Ssnsv", "find_rule"]

RULES: Final[dict[str, type[Rule]]] = {
    "dvi": Dvi,
    "dvi*": DviGram,
    "ssnsv": Ssnsv,
    "essnsv": Essnsv,
    "none": NoRule,
}


def find_rule(rule: str | Rule) -> Rule:
    """Return the rule of that name, or the object itself."""
    if not isinstance(rule, str):
        if isinstance(rule, type) or not all(callable(getattr(rule, m, None)) for m in ("screen", "check")):
            raise TypeError(f"rule must be a name or an object with methods screen and check, got {rule!r}")
        return rule
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(map(repr, RULES))}, got {rule!r}")
    return RULES[rule]()
