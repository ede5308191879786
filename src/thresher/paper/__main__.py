"""``python -m thresher.paper``: one thread for everything that is timed, set before NumPy is loaded."""

import os
import sys

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[pool] = "1"

if __name__ == "__main__":
    from thresher.paper.command import main

    sys.exit(main())
