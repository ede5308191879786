#!/bin/sh
# Install one archive into an empty environment, away from the sources, and use it.
# usage: scripts/try-package.sh ARCHIVE
set -eu
archive=$(realpath "$1")
python=${PYTHON:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$python" -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check "$archive"
# The core alone: paths work, and the command line says what it lacks.
venv/bin/python -c "
import thresher as th
path = th.svm_path([[2.0, 1.0], [-1.0, 0.5], [0.5, 0.3]], ['b', 'a', 'b'], C=[0.1, 1.0])
assert (path.gap_bound <= path.tol).all()
"
if venv/bin/thresher --version 2>message; then echo "click should be missing" >&2; exit 1; fi
grep -q "pip install 'thresher\[cli\]'" message

venv/bin/python -m pip install --quiet --disable-pip-version-check "$archive[all]"
version=$(venv/bin/python -c "import thresher; print(thresher.__version__)")
venv/bin/python -m thresher --version | grep -q "$version"
printf 'a,b,label\n2,1,yes\n-1,0.5,no\n0.5,0.3,yes\n-2,0.1,no\n' > rows.csv
venv/bin/thresher fit rows.csv --target label --output model.json
venv/bin/thresher path rows.csv --target label --report path.html > /dev/null
test "$(venv/bin/thresher predict model.json rows.csv 2>/dev/null | tr '\n' ' ')" = "yes no yes no "
test -s path.html
echo "$(basename "$archive"): installed and used, version $version"
