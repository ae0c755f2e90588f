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

from grader.installers import asked_for
from grader.limits import DEFAULT
from grader.remarks import first_few
from grader.unnamed_cells import grade_id

ISOLATION = str(Path(__file__).with_name("isolation.py"))

NOT_RUN = "NotRun"  # name of the error in a cell that was left out
REMARK = "remark"  # in the metadata of an output: a sentence for the table
DIED = "ended the Python that ran it (crash, out of memory, os._exit)"
FULL = "used up the memory for the cells after it"


class MemoryIsFull(Exception):
    """A cell keeps so much memory that the others might lack it."""


class LimitedExecute(Execute):
    """nbgrader's ``Execute`` with limits, going on where a cell ends the kernel.

    nbgrader interrupts a cell after ``timeout`` seconds and goes on with the next. Here,
    besides, a cell that ends the kernel, does not heed the interrupt or keeps nearly all
    of the memory is left out in another run of the notebook; the marks of the other tasks
    are kept. Test cells run in a namespace of their own, see ``isolation.py``, which keeps
    a journal of what the cells do. An assignment that trains for longer says so in the
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
        """Execute ``nb``; cells that cannot be run get an error as their output."""
        _limit_process(self.memory, self.file_size)
        own = nb.metadata.get("grader", {})  # the teacher's, see repair.py
        self.a_cell = own.get("timeout", self.timeout)
        self.in_all = own.get("total", self.total)
        self.left_out, self.end = {}, len(nb.cells)
        self.accused, self.cleared = None, set()
        folder = Path(resources["metadata"]["path"])
        data = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        latest = monotonic() + self.in_all
        self.late = f"did not stop within {self.a_cell} s"
        self.error_on_timeout = {
            "ename": "CellTimeoutError",
            "evalue": self.late,
            "traceback": [self.late],
        }
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as notes:
            self.journal = Path(notes, "journal")
            while True:
                self.deadline, self.at = monotonic() + self.in_all, None
                self.km = self.kc = None
                self.sent, self.notes = [], []  # places of cells; what the journal says
                self.read = 0  # lines of it
                self.journal.unlink(missing_ok=True)
                _only(folder, data)  # whatever an earlier run has left or taken away
                try:
                    return super().preprocess(copy.deepcopy(nb), resources, km)
                except (DeadKernelError, CellTimeoutError, MemoryIsFull) as error:
                    if self.at is None:  # no cell of the student's has run
                        raise
                    at = self._culprit(error)
                    self.left_out[at] = self._reason(error)
                    if len(self.left_out) > self.restarts or monotonic() > latest:
                        self.end = at + 1

    def preprocess_cell(self, cell, resources, index):
        """Execute the cell at ``index``, unless an earlier run or the clock says no."""
        if self.at is None:
            self._install_isolation()
        if cell.cell_type != "code" or not cell.source.strip():
            return cell, resources
        reason = self.left_out.get(index)
        if index >= self.end:
            reason = reason or "not run, since earlier cells ended Python too often"
        elif monotonic() > self.deadline:
            reason = f"not run, since the notebook took more than {self.in_all} s"
        if reason:
            error = new_output(
                "error", ename=NOT_RUN, evalue=reason, traceback=[reason]
            )
            cell.outputs = [error]
            return cell, resources
        again = self._execute(cell, resources, index)
        if again:
            outputs = cell.outputs
            self._execute(cell, resources, index)
            if any(output.output_type == "error" for output in cell.outputs):
                cell.outputs = outputs
            else:
                _remark(cell, f"right only with the notebook's {' and '.join(again)}")
        return cell, resources

    def _execute(self, cell, resources, index):
        """Execute a cell and add what is to be remarked; settings to try a test with."""
        self.at, self.size, self.pictures = index, 0, 0
        self.sent.append(index)
        super().preprocess_cell(cell, resources, index)
        again = []
        for note in self._new_notes():
            place = self.sent[note["cell"] - 1]  # of an interrupted cell it comes late
            if note.get("full") and not is_grade(self.nb.cells[place]):
                self.at = place
                raise MemoryIsFull
            if note.get("exit"):
                _remark(
                    self.nb.cells[place], "exit ended the cell and not the notebook"
                )
            if note.get("settings"):
                names = ", ".join(note["settings"])
                _remark(self.nb.cells[place], f"{names}: as before for the tests")
            again = note.get("again", again) if place == index else again
        if asked := asked_for():
            _remark(cell, f"nothing was installed ({first_few(asked)})")
        return again

    def _new_notes(self):
        """Return what isolation.py has written since the last time."""
        try:
            text = self.journal.read_text("utf-8", errors="replace")
        except OSError:  # the student's code has been there
            return []
        lines = text.split("\n")[self.read : -1]  # the last one is not at its end
        self.read += len(lines)
        new = [note for note in map(_note, lines) if self._is_ours(note)]
        self.notes += new
        return new

    def _is_ours(self, note):
        """Whether isolation.py writes such notes; the student's code may write there, too."""
        if not isinstance(note, dict):
            return False
        lists = [note.get(what, []) for what in ("running", "settings", "again")]
        if not all(isinstance(found, list) for found in lists):
            return False
        running, *names = lists
        return all(
            type(number) is int and 0 < number <= len(self.sent)
            for number in [note.get("cell"), *running]
        ) and all(isinstance(name, str) for found in names for name in found)

    def _culprit(self, error):
        """Find the cell to be left out when Python has ended or hangs.

        This need not be the cell that was due: Python may have ended before it began, and
        threads and alarms of a cell go on after it. So a cell that has left some running
        is left out first and, if the same then happens at the same place, cleared of it.
        """
        self._new_notes()
        begun = [note for note in self.notes if "running" in note]
        if isinstance(error, MemoryIsFull) or not begun:
            return self.at
        at = self.sent[begun[-1]["cell"] - 1]
        if self.accused and self.accused[1] == at:
            del self.left_out[self.accused[0]]
            self.cleared.add(self.accused[0])
        self.accused = None
        running = {self.sent[number - 1] for number in begun[-1]["running"]}
        if suspects := running - self.cleared - {at}:
            self.accused = max(suspects), at
            return self.accused[0]
        return at

    def _reason(self, error):
        if isinstance(error, MemoryIsFull):
            return FULL
        return DIED if isinstance(error, DeadKernelError) else self.late

    def _install_isolation(self):
        """In the kernel, before any cell: keep a namespace for the test cells."""
        cells = [cell for cell in self.nb.cells if cell.cell_type == "code"]
        tests = [c.source for c in cells if is_grade(c) and not is_solution(c)]
        setup = "\n".join(c.source for c in cells if grade_id(c) == "setup")
        install = f"__import__('runpy').run_path({ISOLATION!r})['install']"
        code = f"{install}(get_ipython(), {setup!r}, {tests!r}, {str(self.journal)!r})"
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
    """Characters of the pictures in an output."""
    found = data.items() if isinstance(data, dict) else ()
    return sum(len(str(v)) for kind, v in found if str(kind).startswith("image/"))


def _remark(cell, sentence):
    """Add a sentence to the outputs of a cell, which nbgrader_steps.py puts into the table."""
    shown = {"text/plain": sentence}
    cell.outputs.append(new_output("display_data", shown, metadata={REMARK: sentence}))


def _only(folder, files):
    """Have the folder hold these files, bytes by path, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    for path, content in files.items():
        path.write_bytes(content)


def _limit_process(memory, file_size):
    """Limit this process, and the kernel and all others that it will start.

    ``memory`` is in GiB, ``file_size`` in MiB.
    """
    if sys.platform == "win32":
        return  # no such limits there: the teachers' page says so
    import resource

    for kind, most in [
        (resource.RLIMIT_DATA, memory << 30),  # so that the cell gets a MemoryError
        (resource.RLIMIT_FSIZE, file_size << 20),
        (resource.RLIMIT_CORE, 0),
    ]:
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
