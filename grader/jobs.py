"""A piece of a grading, and who does it: processes of this computer, or a cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

MOST_SECONDS = 900  # at least, for a submission; execute.py should have ended it before


@dataclass(frozen=True)
class Job:
    """A call of a function of nbgrader_steps.py, in a process of its own.

    Parameters
    ----------
    task : str
        The function's name.
    place : Path
        The folder for what it writes: log.txt and the files that stay.
    arguments : tuple
        The function's; among them may be paths and lists of paths.
    seconds : float
        The most that it may take.
    """

    task: str
    place: Path
    arguments: tuple = ()
    seconds: float = MOST_SECONDS


class Runner(Protocol):
    """Does jobs, several at a time; called from several threads."""

    most: int  # jobs at a time

    def share(self, template: Path) -> None:
        """Have the released assignment, a course folder, wherever jobs are done."""

    def run(self, job: Job) -> str | None:
        """Do a job to its end; return what went wrong, or None."""

    def pace(self, left: int) -> str:
        """Say how fast it goes and how long so many more submissions take, if known."""

    def close(self) -> None:
        """Give back what was held."""
