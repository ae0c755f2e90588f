"""The kernel of a notebook: it notices when it has died, and runs code of ours."""

import time
from queue import Empty

from nbval.kernel import RunningKernel

POLL_SECONDS = 1.0  # between two checks whether the kernel is alive
LAST_OUTPUT_SECONDS = 0.5  # for the output that a dead kernel has still sent


class Kernel(RunningKernel):
    """nbval's kernel; that waits for the answer of a dead one as long as for a slow one.

    To nbval a kernel that dies looks like a cell that exceeds its time; ``died`` tells them
    apart.
    """

    died = False

    def await_reply(self, msg_id: str, timeout: float) -> None:
        """Wait for the answer to a request; ``queue.Empty`` if none comes."""
        end = time.monotonic() + timeout
        while True:
            try:
                return super().await_reply(msg_id, min(timeout, POLL_SECONDS))
            except Empty:
                self.died = not self.is_alive()
                if self.died or time.monotonic() >= end:
                    raise

    def interrupt(self) -> None:
        """Stop what runs, unless nothing can."""
        if not self.died:
            super().interrupt()

    def get_message(self, stream: str, timeout: float | None = None) -> dict:
        """Return the next message of a stream; ``queue.Empty`` if none comes."""
        return super().get_message(
            stream, LAST_OUTPUT_SECONDS if self.died else timeout
        )

    def run(self, code: str, timeout: float = 60) -> str:
        """Execute code of ours; return what it prints.

        RuntimeError with what the code raised; ``queue.Empty`` if it takes longer than
        ``timeout`` seconds, or the kernel has died.
        """
        request = self.execute_cell_input(code, allow_stdin=False)
        raised = printed = ""
        self.await_reply(request, timeout)
        while True:
            message = self.get_message("iopub", timeout=60)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "error":
                raised = "\n".join(message["content"]["traceback"])
            if message["msg_type"] == "stream":
                printed += message["content"]["text"]
            if message["content"].get("execution_state") == "idle":
                break
        if raised:
            raise RuntimeError(raised)
        return printed
