"""``make shake`` and ``make elsewhere`` tell what holds from what is luck."""

import subprocess
import sys

import nbformat
import numpy as np
import pytest

from tests.chapter_code import ROOT

HOLDS = """for seed in (3, 4, 5):
    sample = np.random.default_rng(seed).normal(size=4000)
    assert abs(sample.mean()) < 0.1"""
LUCK = "assert np.random.default_rng(0).uniform() < 0.65"  # 0.637 with this seed
CELLS = {
    "setup": ("import numpy as np\nfrom utils.checks import assert_close", "setup"),
    "holds": (HOLDS, "check", "claim"),
    "luck": (LUCK, "check", "claim"),
    "luck again": (LUCK, "check"),
    "broken": ("first = 1 / 0\nassert True\nsecond = 1", "check"),
    "goes on": ("assert second == 1", "check", "claim"),
    "figure": ('from utils.interact import interact\n@interact(a=(0, 1))\n'
               'def drawn(a=0):\n    """Never called."""\n    raise OSError', "widget"),
    "loop": ("for k in range(3):\n    assert k != 1\nreached = k", "check"),
    "reached": ("assert_close(reached, 2, name='loop')", "check", "claim"),
}  # fmt: skip


def run(command, folder, cells, *options):
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(
                code, id=name.replace(" ", "-"), metadata={"tags": tags}
            )
            for name, (code, *tags) in cells.items()
        ]
    )
    nbformat.write(notebook, folder / "small.ipynb")
    return subprocess.run(
        [sys.executable, "-m", f"tests.robustness.{command}", folder / "small.ipynb", *options],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def test_a_claim_that_is_luck_fails_and_what_follows_a_fall_goes_on(tmp_path):
    process = run("shake", tmp_path, CELLS, "--shifts", "2")
    head, *falls = process.stdout.splitlines()
    assert head == "small: 2 shifts, 7 checks: 4 fell, 1 of 4 claims"
    claim, check, broken, loop = falls
    assert claim.startswith("  cell 2 (luck) line 1  CLAIM  under ")
    assert "np.random.default_rng(0).uniform() = 0." in claim
    assert check.startswith("  cell 3 (luck-again) line 1  check  under ")
    assert "cell 4 (broken) line 1  check  under 2 of 2: ZeroDivisionError" in broken
    assert "cell 7 (loop) line 2  check  under 2 of 2: k = 1" in loop
    assert process.returncode == 1 and process.stderr.startswith("1 claim fell")


@pytest.mark.parametrize(
    ("status", "message"), [(3, "exit status 3"), (0, "no word of what fell")]
)
def test_a_notebook_that_does_not_come_to_its_end_loses_its_claims(
    tmp_path, status, message
):
    cells = {
        "end": (f"import os\nos._exit({status})", "run"),
        "claim": ("assert True", "check", "claim"),
    }
    process = run("shake", tmp_path, cells, "--shifts", "1")
    assert "1 of 1 claims" in process.stdout and message in process.stdout
    assert process.returncode == 1


CHAOS = """x = np.random.default_rng(3).uniform(0.1, 0.9, size=8)
for _ in range(120):
    x = 3.9 * x * (1 - x)  # two starts that differ drift apart, by 1.6 a step"""


def test_what_hangs_on_the_last_bit_falls_elsewhere_and_what_holds_does_not(tmp_path):
    namespace = {"np": np}
    exec(CHAOS, namespace)
    cells = {
        "setup": ("import numpy as np", "setup"),
        "run": (CHAOS, "run"),
        "holds": ("assert x.min() > 0 and x.max() < 1", "check"),
        "hangs": (f"assert abs(x.sum() - {namespace['x'].sum()}) < 1e-3", "check"),
    }
    process = run("elsewhere", tmp_path, cells, "--only", "last bits 1", "two threads")
    head, location, values = process.stdout.splitlines()
    assert head == "small: 2 arithmetics, 2 checks: 1 fell"
    assert location == "  cell 3 (hangs) line 1  check"
    assert values.startswith("    last bits 1: abs(x.sum() - ")
    assert process.returncode == 1 and process.stderr.startswith("1 check fell")
