"""The rivals: one adapter file each; a package that is not installed is imported only when run."""

from typing import Final

from benchmarks.rivals import liblinear, libsvm, rehline, skglm, thresher
from benchmarks.rivals.base import Emit, Rival

__all__ = ["RIVALS", "Emit", "Rival"]

_MODULES = (thresher, rehline, liblinear, skglm, libsvm)
RIVALS: Final[dict[str, Rival]] = {rival.name: rival for module in _MODULES for rival in module.VARIANTS}
