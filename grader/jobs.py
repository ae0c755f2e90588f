"""One step of grading, and the interface of what runs it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

# For a submission whose own limits are shorter; execute.py should have ended it before.
MIN_TIME_LIMIT = 900  # seconds


class Step(StrEnum):
    """The functions of nbgrader_steps.py by name: to name one does not load nbgrader."""

    RELEASE = "release"
    GRADE = "grade"
    FEEDBACK = "feedback"


@dataclass(frozen=True)
class Job:
    """A call of a function of nbgrader_steps.py, in a separate process."""

    step: Step
    folder: Path  # for log.txt and the files to keep
    arguments: tuple = ()  # paths and lists of paths among them
    seconds: float = MIN_TIME_LIMIT  # the most that it may take


class Runner(Protocol):
    """Runs jobs, several at a time; called from several threads."""

    max_jobs: int  # jobs at a time

    def share(self, released: Path) -> None:
        """Make the released assignment, a course folder, available to all jobs."""

    def run(self, job: Job) -> str | None:
        """Run a job to its end; return what went wrong, or None."""

    def pace(self, left: int) -> str:
        """Describe the speed and the time for ``left`` more submissions, if known."""

    def close(self) -> None:
        """Release all resources."""
