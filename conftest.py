"""Settings of every test, in this process and in the kernels of the notebooks."""

import os
from pathlib import Path

from hypothesis import settings

HERE = Path(__file__).parent

os.environ["BOOK_MODE"] = "test"  # interactive figures draw their corners
os.environ["MPLBACKEND"] = "agg"
os.environ["OMP_NUM_THREADS"] = "1"  # two workers share two cores
# A kernel starts with the site hook that refuses any connection beyond this machine …
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(HERE / "tests" / "offline"), *filter(None, [os.environ.get("PYTHONPATH")])]
)
# … and turns the warnings that mean wrong numbers into errors.
os.environ["PYTHONWARNINGS"] = ",".join(
    f"error:{message}:RuntimeWarning"
    for message in ("overflow encountered", "divide by zero", "invalid value")
)

# The same examples in every CI run, so that a failure is a change's and can be repeated;
# new ones at every run of a reader, so that somebody finds what is left to find.
settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")
