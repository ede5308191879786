"""Print the oldest versions that pyproject.toml allows of what thresher itself needs, extras included."""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
EXTRAS = ("cli", "parquet", "plot", "report")
REQUIREMENT = re.compile(r"([\w-]+)>=([\d.]+)")


def oldest() -> list[str]:
    """Return requirements with ``==`` in place of ``>=``."""
    wanted = PROJECT["dependencies"] + [
        line for extra in EXTRAS for line in PROJECT["optional-dependencies"][extra]
    ]
    return [f"{name}=={version}" for name, version in sorted(set(REQUIREMENT.findall(" ".join(wanted))))]


if __name__ == "__main__":
    print("\n".join(oldest()))
