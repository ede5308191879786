"""The default run leaves the slow tests out."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.option.markexpr = config.option.markexpr or "not slow"
