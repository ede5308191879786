"""The default run leaves the slow tests out."""

import pytest

pytest.register_assert_rewrite("support.paths")


def pytest_configure(config: pytest.Config) -> None:
    config.option.markexpr = config.option.markexpr or "not slow"
