"""Compiled loops: the only code that touches numbers row by row."""
