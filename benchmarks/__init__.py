"""Speed measured beside the alternatives, after the answers were found right.

One command per capability, for instance ``python -m benchmarks.forward_leave_one_out``; see
README.md. Importing this package pins every BLAS and OpenMP to one thread, which works only
before NumPy is first imported; `benchmarks.timing.one_thread` asks the loaded libraries again.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[_variable] = "1"
