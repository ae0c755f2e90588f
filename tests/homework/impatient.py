"""The grader's command with less time and memory: ``python -m tests.homework.impatient``."""

from grader.__main__ import main
from grader.limits import Limits

LIMITS = Limits(timeout=3, memory=1)

if __name__ == "__main__":
    main(LIMITS)
