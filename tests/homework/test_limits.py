"""What cells do to Python and its settings: the others are run, and keep their marks.

The notebooks are small and run without nbgrader's books; whole submissions: test_class.py.
"""

import json
import os
from textwrap import dedent
from uuid import uuid4

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader import execute, installers

ANSWERS = {"double": "def double(x):\n    return 2 * x", "half": "half = 1 / 2"}
TESTS = {"double-marks": "assert double(4) == 8", "half-marks": "assert half == 0.5"}
BOTH = set(TESTS)


def notebook(*own, setup="import math", after="double", tests=(), **answers):
    """Return an assignment of two tasks with right answers, and cells of the student's own."""
    codes, cells = ANSWERS | answers, [locked("setup", setup)]
    for task, test in zip(ANSWERS, TESTS, strict=True):
        cells.append(new_code_cell(codes[task]))
        if task == after:
            cells += [new_code_cell(dedent(code)) for code in own]
        cells.append(locked(test, dict(TESTS, **dict(tests))[test], points=1))
    return new_notebook(cells=cells)


def locked(name, code, points=None):
    info = {"grade_id": name, "grade": points is not None, "solution": False}
    info |= {"locked": True, "schema_version": 3, "points": points}
    return new_code_cell(dedent(code), metadata={"nbgrader": info})


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a notebook; the tests that passed, and what the cells say, by place.

    ``run.notebook`` is the notebook with its outputs.
    """
    monkeypatch.setattr(execute, "_limit_process", lambda *limits: None)
    monkeypatch.setenv("PYTHONPATH", "")
    for name, value in installers.write_substitutes(tmp_path / "installers").items():
        monkeypatch.setenv(name, value)
    for name in ("work", "tmp", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)

    def run(notebook, **settings):
        preprocessor = execute.LimitedExecute(**{"timeout": 60, **settings})
        resources = {"metadata": {"path": str(tmp_path / "work")}}
        executed, _ = preprocessor.preprocess(notebook, resources)
        nbformat.validate(executed)
        run.notebook = executed
        return passed(executed), said(executed)

    return run


def passed(notebook):
    """Return the tests without an error."""
    return {
        execute.grade_id(cell)
        for cell in notebook.cells
        if execute.grade_id(cell) in TESTS
        and not any(o.output_type == "error" for o in cell.outputs)
    }


def said(notebook):
    """Return the sentences for the table, by index of the cell."""
    remarks = {}
    for index, cell in enumerate(notebook.cells):
        for output in cell.outputs:
            text = output.get("metadata", {}).get(execute.REMARK)
            if output.get("ename") in (execute.NOT_RUN, "CellTimeoutError"):
                text = output.evalue
            if text:
                remarks.setdefault(index, []).append(text)
    return {index: "; ".join(texts) for index, texts in remarks.items()}


EXIT = "exit ended the cell and not the notebook"
EXITS = [
    "exit",
    "quit()",
    "import sys\nsys.exit(1)",
    "raise SystemExit",
    "get_ipython().ask_exit()",
]


def test_exit_ends_the_cell_and_no_more(run):
    marks, words = run(notebook(*EXITS))
    assert marks == BOTH
    assert words == {index: EXIT for index in range(2, 2 + len(EXITS))}


def test_a_cell_within_a_cell_is_one(run):
    """A remark is put down to the cell to which it belongs."""
    marks, words = run(notebook("%%capture\nprint(1)", "exit"))
    assert marks == BOTH and words == {3: EXIT}


def test_what_stood_before_an_exit_counts(run):
    marks, words = run(notebook(double=f"{ANSWERS['double']}\nquit()"))
    assert marks == BOTH and words == {1: EXIT}


def test_an_exit_in_an_answer_costs_that_answer(run):
    marks, words = run(notebook(double="def double(x):\n    exit()"))
    assert marks == {"half-marks"} and words == {2: EXIT}


def test_a_kernel_asked_to_restart_goes_on(run):
    """As notebooks do after they have installed something."""
    restart = "get_ipython().kernel.do_shutdown(True)"
    marks, words = run(notebook(restart, "import time\ntime.sleep(0.3)"))
    assert marks == BOTH and not words


LATER = "threading.Timer(0.2, os._exit, (0,)).start()"
DEATHS = {
    "os._exit": ["import os\nos._exit(0)"],
    "kill": ["import os\nos.kill(os.getpid(), 9)"],
    "crash": ["import ctypes\nctypes.string_at(0)"],
    "two": ["import os\nos._exit(0)", "import os\nos.abort()"],
    "thread": [f"import os, threading\n{LATER}", "import time\ntime.sleep(0.5)"],
    "alarm": ["import signal\nsignal.alarm(1)", "import time\ntime.sleep(1.5)"],
    "between cells": [
        """
        import os
        get_ipython().kernel.post_handler_hook = lambda: os._exit(0)
        """
    ],
}


@pytest.mark.parametrize("cause", DEATHS)
def test_a_death_is_put_down_to_the_cell_that_caused_it(run, cause):
    marks, words = run(notebook(*DEATHS[cause]))
    assert marks == BOTH
    guilty = {2, 3} if cause == "two" else {2}
    assert words == {index: execute.DIED for index in guilty}


def test_a_thread_that_does_no_harm_is_cleared(run):
    """It runs while a later cell ends Python: that one is guilty."""
    thread = "import threading, time\n"
    thread += "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    marks, words = run(notebook(thread, "import os\nos._exit(0)"))
    assert marks == BOTH and words == {3: execute.DIED}


def test_many_deaths_cost_no_other_answer(run):
    """Each of seven tests of one task ends Python."""
    dead = notebook(double="import os\ndef double(x):\n    os._exit(0)")
    tests = [locked("double-marks", f"double({n})", points=1) for n in range(7)]
    dead.cells[2:3] = tests
    marks, words = run(dead)
    assert "half-marks" in marks
    assert words == dict.fromkeys(range(2, 9), execute.DIED)


LITTLE = """
import resource
hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
resource.setrlimit(resource.RLIMIT_DATA, (600 << 20, hard))
"""
GROWS = "rows = []\n{0}while True:\n{0}    rows.append(bytearray(10**6))"
NEEDS = {"half-marks": "bytearray(2 * 10**8)\nassert half == 0.5"}


@pytest.mark.skipif(os.name == "nt", reason="no such limit")
def test_a_cell_that_keeps_the_memory_is_left_out(run):
    marks, words = run(notebook(LITTLE, GROWS.format(""), tests=NEEDS))
    assert marks == BOTH and words == {3: execute.MEMORY_FULL}


@pytest.mark.skipif(os.name == "nt", reason="no such limit")
def test_memory_of_a_failed_answer_is_free_again(run):
    grows = "def double(x):\n    " + GROWS.format("    ")
    marks, words = run(notebook(LITTLE, double=grows, tests=NEEDS))
    assert marks == {"half-marks"} and not words


def test_tests_stay_apart_where_nothing_can_be_noted(run, tmp_path):
    """The folder for temporary files is gone, and the wrong answer has a friend."""
    own = f"import shutil\nshutil.rmtree({str(tmp_path / 'tmp')!r})\nabs = lambda x: 0"
    tests = {"double-marks": "assert abs(double(4) - 8) < 1"}
    marks, _ = run(notebook(own, tests=tests, double="def double(x):\n    return x"))
    assert marks == {"half-marks"}


STATE = """
import decimal, gc, locale, os, random, signal, sys, warnings
import matplotlib, numpy as np, sklearn, torch

def state():
    return {
        "gradient mode": torch.is_grad_enabled(),
        "made": torch.ones(1, requires_grad=True).sum().requires_grad,
        "inference": torch.is_inference_mode_enabled(),
        "dtype": torch.ones(1).dtype,
        "device": torch.ones(1).device,
        "autocast": torch.is_autocast_enabled("cpu"),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "anomaly": torch.is_anomaly_enabled(),
        "threads": torch.get_num_threads(),
        "printed": (repr(torch.ones(1) / 3), repr(np.ones(1) / 3)),
        "errors": np.geterr(),
        "folder": os.getcwd(),
        "path": list(sys.path),
        "module": sys.modules["numpy.linalg"].__name__,
        "environment": dict(os.environ),
        "recursion": sys.getrecursionlimit(),
        "filters": list(warnings.filters),
        "locale": locale.setlocale(locale.LC_ALL),
        "decimal": (decimal.getcontext().prec, decimal.getcontext().rounding),
        "gc": gc.isenabled(),
        "handler": signal.getsignal(signal.SIGTERM),
        "line": matplotlib.rcParams["lines.linewidth"],
        "sklearn": sklearn.get_config(),
        "stdout": sys.stdout,
    }

before = state()
"""
CHANGES = """
import io
torch.set_grad_enabled(False)
mode = torch.inference_mode()
mode.__enter__()
torch.set_default_dtype(torch.float64)
torch.set_default_device("meta")
torch.set_autocast_enabled("cpu", True)
torch.use_deterministic_algorithms(True)
torch.autograd.set_detect_anomaly(True)
torch.set_num_threads(torch.get_num_threads() + 1)
torch.set_printoptions(2)
np.set_printoptions(precision=1)
np.seterr(all="raise")
os.chdir(os.sep)
sys.path.insert(0, "mine")
sys.modules["numpy.linalg"] = io
os.environ["MINE"] = "1"
sys.setrecursionlimit(700)
warnings.simplefilter("error")
locale.setlocale(locale.LC_ALL, "C" if before["locale"] != "C" else "C.UTF-8")
decimal.getcontext().prec = 3
gc.disable()
signal.signal(signal.SIGTERM, print)
matplotlib.rcParams["lines.linewidth"] = 9
sklearn.set_config(assume_finite=True)
sys.stdout = io.StringIO()
theirs = state()
"""


def test_settings_are_put_back_for_a_test_and_given_back_after_it(run):
    """The test finds those from before the student's code, a later cell the student's."""
    tests = {"double-marks": "assert state() == before and double(4) == 8"}
    half = "same = [key for key in before if theirs[key] == before[key]]\n"
    half += "lost = [key for key in before if state()[key] != theirs[key]]\n"
    half += "half = 1 / 2 if not same and not lost else (same, lost)"
    marks, words = run(notebook(CHANGES, setup=STATE, tests=tests, half=half))
    assert marks == BOTH and list(words) == [2]
    assert words[2].endswith(": as before for the tests")
    assert "PyTorch's gradient mode, PyTorch's default dtype" in words[2]


def test_random_numbers_of_a_test_are_not_the_students(run):
    """What is drawn after a test is what is drawn without it."""
    setup = "import random\nimport numpy as np\nimport torch"
    draws = "random.random(), np.random.rand(), torch.rand(()).item()"
    seeds = "random.seed(1), np.random.seed(1), torch.manual_seed(1)"
    own = f"{seeds}\nwanted = {draws}\n{seeds}"
    tests = {"double-marks": f"{draws}\nassert double(4) == 8"}
    half = f"half = 1 / 2 if wanted == ({draws}) else 0"
    assert run(notebook(own, setup=setup, tests=tests, half=half)) == (BOTH, {})


def test_an_answer_may_need_the_settings_of_its_notebook(run):
    own = "torch.set_default_dtype(torch.float64)"
    setup = "import numpy as np\nimport torch"
    double = "def double(x):\n    return float(torch.tensor(x) @ (2 * torch.eye(1)))"
    tests = {"double-marks": "assert double(np.array([4.0])) == 8"}
    marks, words = run(notebook(own, setup=setup, double=double, tests=tests))
    assert marks == BOTH
    assert words[2] == "PyTorch's default dtype: as before for the tests"
    assert words[3] == "right only with the notebook's PyTorch's default dtype"


def test_settings_make_no_wrong_answer_right(run):
    own = "torch.set_default_dtype(torch.float64)\nnp.seterr(all='ignore')"
    setup = "import numpy as np\nimport torch"
    marks, words = run(
        notebook(own, setup=setup, double="def double(x):\n    return 3 * x")
    )
    assert marks == {"half-marks"} and list(words) == [2]


def test_names_in_tmp_are_the_submissions_own(run, tmp_path):
    """Two submissions may write /tmp/model.pt, graded at the same time."""
    name = f"{uuid4()}-of-a-submission"
    own = f"""
        tmp = 8
        assert 16 /tmp/ 2 == 1
        open("/tmp/{name}", "w").write("mine")
        assert open(f'/tmp/{{"{name}"}}').read() == "mine"
        !cp /tmp/{name} /tmp/{name}-2
        """
    marks, words = run(
        notebook(own, half=f"half = len(open('/tmp/{name}-2').read()) / 8")
    )
    assert marks == BOTH and not words
    assert (tmp_path / "tmp" / name).exists()
    assert not os.path.exists(f"/tmp/{name}") and not os.path.exists(f"/tmp/{name}-2")


# None of them would do harm, if it did run.
INSTALLS = {
    "pip install --no-index a": "!pip install --no-index a",
    "pip install --no-index b": "%pip install --no-index b",
    "pip3 install --no-index c": "%%capture\n!pip3 install --no-index c >/dev/null",
    "pip uninstall -y nobody": "!{sys.executable} -m pip uninstall -y nobody",
    "pip install --no-index d": """
        import subprocess
        call = [sys.executable, "-m", "pip", "install", "--no-index", "d"]
        subprocess.check_call(call)
        """,
    "pip install --no-index e": "import pip\npip.main(['install', '--no-index', 'e'])",
    "pip list -v": "from pip._internal import main\nmain(['list', '-v'])",
    "pip list -vv": "from pip._internal.cli.main import main\nmain(['list', '-vv'])",
    "pip install --no-index f": "!{sys.prefix}/bin/pip install --no-index f",
    "uv pip install --offline g": "!uv pip install --offline g",
    "uv pip install --offline h": "%uv pip install --offline h",
    "conda --version": "!conda --version",
    "conda install --offline i": "%conda install --offline i",
    "mamba install --offline j": "%mamba install --offline j",
    "pip install --no-index k": """
        import pip
        assert pip.__version__
        pip.main(["install", "--no-index", "k"])
        """,
    "apt-get --version": "!apt-get --version",
    "npm --version": "!npm --version",
    "sudo apt --version": "import os\nos.system('sudo apt --version')",
    "ensurepip --version": "!python -m ensurepip --version",
}


def test_nothing_is_installed_and_what_was_asked_for_is_said(run):
    marks, words = run(notebook(*INSTALLS.values(), setup="import sys"))
    assert marks == BOTH
    calls = [f"nothing was installed ({call})" for call in INSTALLS]
    assert words == dict(enumerate(calls, start=2))


def test_of_many_calls_of_installers_the_first_few_are_said(run):
    own = "for n in range(7):\n    !pip install --no-index package-{n}"
    _, words = run(notebook(own))
    assert words[2].startswith(
        "nothing was installed (pip install --no-index package-0,"
    )
    assert words[2].endswith(" and 3 more)")


def test_calls_of_installers_need_not_be_utf_8(tmp_path, monkeypatch):
    """A line of the student's own, who has found the file."""
    path = tmp_path / "asked"
    monkeypatch.setenv(installers.CALLS_FILE, str(path))
    path.write_bytes(b"pip a\n\xff\n")
    assert installers.recorded_calls() == ["pip a", "\ufffd"]
    assert not path.exists() and installers.recorded_calls() == []


OURS = [{"cell": 1, "running": []}, {"cell": 2, "settings": ["locale"], "exit": True}]


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        "1",
        "{",
        "[" * 100_000,
        "\xff",
        '{"cell": 0}',
        '{"cell": 3}',
        '{"cell": 1.0}',
        '{"cell": "1"}',
        '{"cell": 1, "running": [3]}',
        '{"cell": 1, "running": 1}',
        '{"cell": 1, "settings": [1]}',
        '{"cell": 1, "again": true}',
    ],
)
def test_a_students_line_in_the_journal_is_left_out(tmp_path, line):
    preprocessor = execute.LimitedExecute()
    preprocessor.journal, preprocessor.sent = tmp_path / "journal", [0, 4]
    preprocessor.notes, preprocessor.lines_read = [], 0
    lines = "\n".join([json.dumps(OURS[0]), line, json.dumps(OURS[1]), '{"cell"'])
    preprocessor.journal.write_bytes(lines.encode("latin-1"))
    assert preprocessor._new_notes() == OURS
    with preprocessor.journal.open("a") as file:
        file.write(": 1}\n")
    assert preprocessor._new_notes() == [{"cell": 1}], (
        "expected a line once it is whole"
    )


def test_a_large_picture_is_kept_beside_little_text_and_the_largest_is_not(run):
    show = """
    from IPython.display import display
    for size in (400_000, 30_000_000):
        display({"image/png": "A" * size}, raw=True)
    print("x" * 200_000)
    """
    assert run(notebook(show))[0] == BOTH
    outputs = [o for cell in run.notebook.cells for o in cell.outputs]
    sizes = [len(o.data["image/png"]) for o in outputs if "data" in o]
    assert sizes == [400_000] and not any("xxx" in o.get("text", "") for o in outputs)


def test_an_output_that_no_notebook_may_hold_costs_nothing(run):
    odd = 'get_ipython().display_pub.publish({"text/html": 5})'
    assert run(notebook(odd))[0] == BOTH
