"""Run a student's notebook to its end, whatever is in it."""

import copy
import json
import shutil
import sys
import tempfile
from pathlib import Path
from time import monotonic

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat.v4 import new_output
from nbformat.validator import NotebookValidationError
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade, is_solution
from traitlets import Integer

from grader.installers import recorded_calls
from grader.limits import DEFAULT
from grader.remarks import first_few
from grader.unnamed_cells import grade_id

ISOLATION = str(Path(__file__).with_name("isolation.py"))

NOT_RUN = "NotRun"  # name of the error in a cell that was left out
REMARK = "remark"  # in the metadata of an output: a sentence for the table
DIED = "ended the Python that ran it (crash, out of memory, os._exit)"
MEMORY_FULL = "used up the memory for the cells after it"


class MemoryIsFull(Exception):
    """A cell keeps so much memory that the others might lack it."""


class LimitedExecute(Execute):
    """nbgrader's ``Execute`` with limits, which continues after a cell has ended the kernel.

    nbgrader interrupts a cell after ``timeout`` seconds and goes on with the next. If a
    cell ends the kernel, ignores the interrupt or keeps nearly all of the memory, this
    class runs the notebook again without it, so that the other tasks keep their marks.
    Test cells run in a separate namespace, see ``isolation.py``, which also writes a
    journal of what the cells do. An assignment that trains for longer says so in the
    metadata of its notebook: ``"grader": {"timeout": 90, "total": 600}``.
    """

    # As in limits.py; ``timeout`` is nbgrader's own.
    total = Integer(DEFAULT.total).tag(config=True)
    memory = Integer(DEFAULT.memory).tag(config=True)
    file_size = Integer(DEFAULT.file_size).tag(config=True)
    output_size = Integer(DEFAULT.output_size).tag(config=True)
    picture_size = Integer(DEFAULT.picture_size).tag(config=True)
    restarts = Integer(DEFAULT.restarts).tag(config=True)

    def preprocess(self, nb, resources, km=None):
        """Execute ``nb``; a cell that cannot be run gets an error as its output."""
        _limit_process(self.memory, self.file_size)
        metadata = nb.metadata.get("grader", {})  # the teacher's, see repair.py
        self.seconds_per_cell = metadata.get("timeout", self.timeout)
        self.seconds_in_total = metadata.get("total", self.total)
        self.left_out, self.end = {}, len(nb.cells)
        self.accused, self.cleared = None, set()
        folder = Path(resources["metadata"]["path"])
        data = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        latest = monotonic() + self.seconds_in_total
        self.timeout_message = f"did not stop within {self.seconds_per_cell} s"
        self.error_on_timeout = {
            "ename": "CellTimeoutError",
            "evalue": self.timeout_message,
            "traceback": [self.timeout_message],
        }
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as notes:
            self.journal = Path(notes, "journal")
            while True:
                self.deadline, self.current = monotonic() + self.seconds_in_total, None
                self.km = self.kc = None
                self.sent = []  # indices of cells, in the order of their execution
                self.notes, self.lines_read = [], 0  # of the journal
                self.journal.unlink(missing_ok=True)
                _restore(folder, data)  # undo what an earlier run has changed
                try:
                    return super().preprocess(copy.deepcopy(nb), resources, km)
                except (DeadKernelError, CellTimeoutError, MemoryIsFull) as error:
                    if self.current is None:  # no cell of the student's has run
                        raise
                    culprit = self._culprit(error)
                    self.left_out[culprit] = self._reason(error)
                    if len(self.left_out) > self.restarts or monotonic() > latest:
                        self.end = culprit + 1

    def preprocess_cell(self, cell, resources, index):
        """Execute the cell at ``index``, unless it is left out or time is up."""
        if self.current is None:
            self._install_isolation()
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        reason = self.left_out.get(index)
        if index >= self.end:
            reason = reason or "not run, since earlier cells ended Python too often"
        elif monotonic() > self.deadline:
            reason = (
                f"not run, since the notebook took more than {self.seconds_in_total} s"
            )
        if reason:
            error = new_output(
                "error", ename=NOT_RUN, evalue=reason, traceback=[reason]
            )
            cell.outputs = [error]
            return cell, resources
        settings = self._execute(cell, resources, index)
        if settings:
            outputs = cell.outputs
            self._execute(cell, resources, index)
            if any(output.output_type == "error" for output in cell.outputs):
                cell.outputs = outputs
            else:
                _remark(
                    cell, f"right only with the notebook's {' and '.join(settings)}"
                )
        return cell, resources

    def _execute(self, cell, resources, index):
        """Execute a cell, add remarks; return the settings with which to repeat a failed test."""
        self.current, self.size, self.pictures = index, 0, 0
        self.sent.append(index)
        super().preprocess_cell(cell, resources, index)
        retry = []
        for note in self._new_notes():
            # The note of an interrupted cell comes late, with those of a later one.
            position = self.sent[note["cell"] - 1]
            if note.get("full") and not is_grade(self.nb.cells[position]):
                self.current = position
                raise MemoryIsFull
            if note.get("exit"):
                _remark(
                    self.nb.cells[position], "exit ended the cell and not the notebook"
                )
            if note.get("settings"):
                names = ", ".join(note["settings"])
                _remark(self.nb.cells[position], f"{names}: as before for the tests")
            retry = note.get("again", retry) if position == index else retry
        if calls := recorded_calls():
            _remark(cell, f"nothing was installed ({first_few(calls)})")
        return retry

    def _new_notes(self):
        """Return what isolation.py has written since the last time."""
        try:
            text = self.journal.read_text("utf-8", errors="replace")
        except OSError:  # the student's code has been there
            return []
        lines = text.split("\n")[self.lines_read : -1]  # the last one is not at its end
        self.lines_read += len(lines)
        new = [note for note in map(_note, lines) if self._is_ours(note)]
        self.notes += new
        return new

    def _is_ours(self, note):
        """Return whether isolation.py writes such notes; the student's code may forge some."""
        if not isinstance(note, dict):
            return False
        lists = [note.get(key, []) for key in ("running", "settings", "again")]
        if not all(isinstance(values, list) for values in lists):
            return False
        running, settings, again = lists
        return all(
            type(number) is int and 0 < number <= len(self.sent)
            for number in [note.get("cell"), *running]
        ) and all(isinstance(name, str) for name in [*settings, *again])

    def _culprit(self, error):
        """Return the index of the cell to leave out when Python has ended or hangs.

        This need not be the current cell: Python may have ended before it began, and
        threads and alarms of an earlier cell may still run. So an earlier cell that has
        left some running is left out first; if the same cell then fails again, the earlier
        one is cleared.
        """
        self._new_notes()
        begun = [note for note in self.notes if "running" in note]
        if isinstance(error, MemoryIsFull) or not begun:
            return self.current
        failed = self.sent[begun[-1]["cell"] - 1]
        if self.accused and self.accused[1] == failed:
            del self.left_out[self.accused[0]]
            self.cleared.add(self.accused[0])
        self.accused = None
        running = {self.sent[number - 1] for number in begun[-1]["running"]}
        if suspects := running - self.cleared - {failed}:
            self.accused = max(suspects), failed
            return self.accused[0]
        return failed

    def _reason(self, error):
        if isinstance(error, MemoryIsFull):
            return MEMORY_FULL
        return DIED if isinstance(error, DeadKernelError) else self.timeout_message

    def _install_isolation(self):
        """Prepare the namespace of the test cells in the kernel, before any cell runs."""
        cells = [cell for cell in self.nb.cells if cell.cell_type == "code"]
        tests = [c.source for c in cells if is_grade(c) and not is_solution(c)]
        setup = "\n".join(c.source for c in cells if grade_id(c) == "setup")
        install = f"__import__('runpy').run_path({ISOLATION!r})['install']"
        code = f"{install}(get_ipython(), {setup!r}, {tests!r}, {str(self.journal)!r})"
        reply = self.wait_for_reply(self.kc.execute(code, silent=True))
        if not reply or reply["content"]["status"] != "ok":
            raise RuntimeError(f"the setup cell cannot be run: {reply}")
        self.current = 0

    def _get_timeout(self, cell):
        """Return the limit for a cell; before the first one, the kernel may need longer."""
        return self.seconds_per_cell if cell else self.seconds_in_total

    def output(self, outs, msg, display_id, cell_index):
        """Keep an output unless the cell has too much: endless printing would fill memory.

        nbgrader takes marks away if anything is written to stderr, even a warning. Only
        an exception should cost marks, so stderr is stored as stdout.
        """
        if msg["msg_type"] != "error":
            pictures = _pictures(msg["content"].get("data"))
            self.size += len(str(msg["content"])) - pictures
            self.pictures += pictures
            if self.size > self.output_size or self.pictures > self.picture_size:
                return None
        if msg["content"].get("name") == "stderr":
            msg["content"]["name"] = "stdout"
        if REMARK in (msg["content"].get("metadata") or {}):
            return None  # not ours
        try:
            return super().output(outs, msg, display_id, cell_index)
        except NotebookValidationError:  # display({"text/html": 5}, raw=True)
            return None


def _note(line):
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _pictures(data):
    """Return how many characters the pictures in an output have."""
    items = data.items() if isinstance(data, dict) else ()
    return sum(len(str(v)) for kind, v in items if str(kind).startswith("image/"))


def _remark(cell, sentence):
    """Add a sentence to the outputs of a cell, for ``nbgrader_steps.incidents``."""
    shown = {"text/plain": sentence}
    cell.outputs.append(new_output("display_data", shown, metadata={REMARK: sentence}))


def _restore(folder, contents):
    """Restore a folder to these files, ``{path: bytes}``, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    for path, content in contents.items():
        path.write_bytes(content)


def _limit_process(memory, file_size):
    """Limit this process, and the kernel and all others that it will start.

    ``memory`` is in GiB, ``file_size`` in MiB.
    """
    if sys.platform == "win32":
        return  # no such limits there: the teachers' page says so
    import resource

    for kind, limit in [
        (resource.RLIMIT_DATA, memory << 30),  # so that the cell gets a MemoryError
        (resource.RLIMIT_FSIZE, file_size << 20),
        (resource.RLIMIT_CORE, 0),
    ]:
        hard = resource.getrlimit(kind)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (limit, limit))
