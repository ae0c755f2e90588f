"""Run a student's notebook to its end, whatever is in it."""

import copy
import shutil
import sys
from pathlib import Path
from time import monotonic

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade, is_solution
from traitlets import Integer

from grader.submissions import grade_id

ISOLATION = str(Path(__file__).with_name("isolation.py"))

NOT_RUN = "NotRun"  # name of the error in a cell that was left out
DIED = "ended the Python that ran it (exit, crash or out of memory)"


class LimitedExecute(Execute):
    """nbgrader's ``Execute`` with limits, going on where a cell ends the kernel.

    nbgrader interrupts a cell after ``timeout`` seconds and goes on with the next. Here,
    besides, a cell that ends the kernel, or does not heed the interrupt, is left out in
    a second run of the notebook; the marks of the other tasks are kept. Test cells run in
    a namespace of their own, see ``isolation.py``. An assignment that trains for longer
    says so in the metadata of its notebook: ``"grader": {"timeout": 90, "total": 600}``.
    """

    total = Integer(240, help="Seconds for the notebook.").tag(config=True)
    memory = Integer(4, help="GiB of memory for each process.").tag(config=True)
    output_size = Integer(100_000, help="Characters kept a cell.").tag(config=True)
    restarts = Integer(4, help="Runs after a cell ended the kernel.").tag(config=True)

    def preprocess(self, nb, resources, km=None):
        """Execute ``nb``; cells that cannot be run get an error as their output."""
        _limit_process(self.memory)
        own = nb.metadata.get("grader", {})  # the teacher's, see submissions.py
        self.a_cell = own.get("timeout", self.timeout)
        self.in_all = own.get("total", self.total)
        self.left_out, self.end = {}, len(nb.cells)
        folder = Path(resources["metadata"]["path"])
        data = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        latest, late = monotonic() + self.in_all, f"did not stop within {self.a_cell} s"
        self.error_on_timeout = {
            "ename": "CellTimeoutError",
            "evalue": late,
            "traceback": [late],
        }
        while True:
            self.deadline, self.at = monotonic() + self.in_all, None
            self.km = self.kc = None
            _only(folder, data)  # whatever an earlier run has left or taken away
            try:
                return super().preprocess(copy.deepcopy(nb), resources, km)
            except (DeadKernelError, CellTimeoutError) as error:
                if self.at is None:  # no cell of the student's has run
                    raise
                died = isinstance(error, DeadKernelError)
                self.left_out[self.at] = DIED if died else late
                if len(self.left_out) > self.restarts or monotonic() > latest:
                    self.end = self.at + 1

    def preprocess_cell(self, cell, resources, index):
        """Execute the cell at ``index``, unless an earlier run or the clock says no."""
        if self.at is None:
            self._install_isolation()
        reason = self.left_out.get(index)
        if index >= self.end:
            reason = reason or "not run, since earlier cells ended Python too often"
        elif monotonic() > self.deadline:
            reason = f"not run, since the notebook took more than {self.in_all} s"
        if reason and cell.cell_type == "code":
            error = new_output(
                "error", ename=NOT_RUN, evalue=reason, traceback=[reason]
            )
            cell.outputs = [error]
            return cell, resources
        self.at, self.size = index, 0
        return super().preprocess_cell(cell, resources, index)

    def _install_isolation(self):
        """In the kernel, before any cell: keep a namespace for the test cells."""
        cells = [cell for cell in self.nb.cells if cell.cell_type == "code"]
        tests = [c.source for c in cells if is_grade(c) and not is_solution(c)]
        setup = "\n".join(c.source for c in cells if grade_id(c) == "setup")
        install = f"__import__('runpy').run_path({ISOLATION!r})['install']"
        code = f"{install}(get_ipython(), {setup!r}, {tests!r})"
        reply = self.wait_for_reply(self.kc.execute(code, silent=True))
        if not reply or reply["content"]["status"] != "ok":
            raise RuntimeError(f"the setup cell cannot be run: {reply}")
        self.at = 0

    def _get_timeout(self, cell):
        """Patience before the first cell: that imports, from a disk that may be slow."""
        return self.a_cell if cell else self.in_all

    def output(self, outs, msg, display_id, cell_index):
        """Keep an output, if it is not too much; an endless print would fill the memory.

        nbgrader takes marks away where anything is written to stderr, which a mere
        warning does. Only an exception shall: stderr is kept as stdout.
        """
        if msg["msg_type"] != "error":
            self.size += len(str(msg["content"]))
            if self.size > self.output_size:
                return None
        if msg["content"].get("name") == "stderr":
            msg["content"]["name"] = "stdout"
        return super().output(outs, msg, display_id, cell_index)


def _only(folder, files):
    """Have the folder hold these files, bytes by path, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    for path, content in files.items():
        path.write_bytes(content)


def _limit_process(gigabytes):
    """Limit this process and those it will start, the kernel among them."""
    if sys.platform == "win32":
        return  # no such limits there: the teachers' page says so
    import resource

    for kind, most in [
        (resource.RLIMIT_DATA, gigabytes << 30),  # so that the cell gets a MemoryError
        (resource.RLIMIT_FSIZE, 100 << 20),
        (resource.RLIMIT_CORE, 0),
    ]:
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
