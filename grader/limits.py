"""What a submission may use: time, memory, output."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a submission may use; each is also an option of ``LimitedExecute``.

    An assignment that trains for longer names its own ``timeout`` and ``total`` in the
    metadata of its notebook: ``"grader": {"timeout": 90, "total": 600}``.
    """

    timeout: int = 30  # seconds for a cell
    total: int = 240  # seconds for the notebook
    memory: int = 4  # GiB for each process
    file_size: int = 100  # MiB for each file that a cell writes
    output_size: int = 100_000  # characters kept for each cell, pictures aside
    picture_size: int = 5_000_000  # characters of pictures kept for each cell
    restarts: int = 20  # of the notebook, after a cell has ended the kernel


DEFAULT = Limits()
