"""One step of grading, and the interface of what runs it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

# For a submission whose own limits are shorter; execute.py should have ended it before.
MIN_TIME_LIMIT = 900  # seconds


@dataclass(frozen=True)
class Job:
    """A call of a function of nbgrader_steps.py, in a separate process.

    Parameters
    ----------
    task : str
        The function's name.
    folder : Path
        The folder for log.txt and the files to keep.
    arguments : tuple
        The function's arguments, which may contain paths and lists of paths.
    seconds : float
        The most seconds that it may take.
    """

    task: str
    folder: Path
    arguments: tuple = ()
    seconds: float = MIN_TIME_LIMIT


class Runner(Protocol):
    """Runs jobs, several at a time; called from several threads."""

    most: int  # jobs at a time

    def share(self, template: Path) -> None:
        """Make the released assignment, a course folder, available to all jobs."""

    def run(self, job: Job) -> str | None:
        """Run a job to its end; return what went wrong, or None."""

    def pace(self, left: int) -> str:
        """Describe the speed and the time for ``left`` more submissions, if known."""

    def close(self) -> None:
        """Release all resources."""
