"""The experiments of the DVI paper, run again: ``python -m thresher.paper --help``."""
