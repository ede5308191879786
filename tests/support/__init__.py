"""What the tests share and the package must not know: oracles, planted problems, data."""
