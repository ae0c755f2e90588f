"""What a submission may use: time, memory, output."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a submission may use; each is also an option of ``LimitedExecute``.

    An assignment that trains for longer names its own ``timeout`` and ``total`` in the
    metadata of its notebook: ``"grader": {"timeout": 90, "total": 600}``.

    Parameters
    ----------
    timeout : int
        Seconds for a cell.
    total : int
        Seconds for the notebook.
    memory : int
        GiB for each process.
    file_size : int
        MiB for each file that a cell writes.
    output_size : int
        Characters of output that are kept for each cell, pictures aside.
    picture_size : int
        Characters of pictures that are kept for each cell.
    restarts : int
        How often the notebook is run again after a cell has ended the kernel.
    """

    timeout: int = 30
    total: int = 240
    memory: int = 4
    file_size: int = 100
    output_size: int = 100_000
    picture_size: int = 5_000_000
    restarts: int = 20


DEFAULT = Limits()
