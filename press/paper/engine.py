"""XeLaTeX: whether it is there, its runs, what its log says."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import matplotlib

PROGRAMS = ("xelatex", "xdvipdfmx", "kpsewhich")
PACKAGES = {  # a file → the package of Debian and Ubuntu that has it
    "fontspec.sty": "texlive-xetex",
    "xelatex.ini": "texlive-xetex",
    "titlesec.sty": "texlive-latex-extra",
    "tcolorbox.sty": "texlive-latex-extra",
    "xeCJK.sty": "texlive-lang-chinese",
    "FandolSong-Regular.otf": "texlive-lang-chinese",
    "pzdr.tfm": "texlive-fonts-recommended",  # hyperref takes its spaces
    "texgyrepagella-regular.otf": "fonts-texgyre",
    "texgyrepagella-math.otf": "fonts-texgyre-math",
}
RUNS = 4  # contents, then pages of references, then what these have moved
WENT_ON = 1  # the status of a LaTeX that went on after an error: its log says which
MARGIN = 5  # points that a line may reach into the margin: nobody sees them
# What makes a page wrong: each as LaTeX's log says it.
FAULTS = (
    r"^! .*",
    r"^Missing character: .*",
    r"^LaTeX Warning: (?:Reference|Hyper reference|Citation) .*undefined.*",
    r"^LaTeX Warning: Label .* multiply defined.*",
    r"^LaTeX Warning: Label\(s\) may have changed.*",
    r"^LaTeX Warning: Float too large .*",
    r"^Overfull \\hbox \((?P<beyond>[\d.]+)pt too wide.*",
    r"^Overfull \\vbox \((?P<beyond>[\d.]+)pt too high.*",
)


class Failed(Exception):
    """No PDF; says why, and what to do."""


def missing() -> list[str]:
    """List the packages of Debian that this machine lacks."""
    if any(shutil.which(program) is None for program in PROGRAMS):
        return sorted(set(PACKAGES.values()))
    command = ["kpsewhich", *PACKAGES]
    result = subprocess.run(command, capture_output=True, encoding="utf-8")
    names = {Path(line).name for line in result.stdout.splitlines()}
    return sorted({package for file, package in PACKAGES.items() if file not in names})


def typeset(folder: Path, name: str, show: Callable[[str], None]) -> Path:
    """Typeset ``name.tex`` in ``folder``; return the path of the PDF.

    Failed if LaTeX stopped, a reference leads nowhere, or no font has a character. No PDF is
    left then, nor that of an earlier run.
    """
    fonts = Path(matplotlib.get_data_path(), "fonts", "ttf")
    for font in fonts.glob("DejaVuSansMono*.ttf"):
        shutil.copy(font, folder)
    log = folder / f"{name}.log"
    for kind in (".pdf", ".xdv", ".log"):
        (folder / name).with_suffix(kind).unlink(missing_ok=True)
    previous = None
    for run in range(1, RUNS + 1):
        show(f"typesetting, run {run}")
        command = ("xelatex", "-interaction=nonstopmode", "-no-pdf", f"{name}.tex")
        status = _run(folder, *command, accepted=(0, WENT_ON))
        aux = [
            path.read_bytes()
            for path in sorted(folder.glob(f"{name}.*"))
            if path.suffix in (".aux", ".toc", ".out")
        ]
        if previous == aux:
            break
        previous = aux
    faults = faults_of(log.read_text("utf-8", errors="replace")) if log.exists() else []
    if status and not faults:
        raise Failed(
            f"xelatex ended with {status}, and its log does not say why: {log}"
        )
    if faults:
        rest = f"\n… and {len(faults) - 20} more" if len(faults) > 20 else ""
        raise Failed("\n".join(faults[:20]) + rest + f"\nThe whole story: {log}")
    show("writing the PDF")
    _run(folder, "xdvipdfmx", "-q", f"{name}.xdv")
    return folder / f"{name}.pdf"


def faults_of(log: str) -> list[str]:
    """List what a log of LaTeX says of wrong pages, each once."""
    unbroken = re.sub(r"(?<=^.{79})\n", "", log, flags=re.M)  # it breaks lines at 79
    matches = [m for fault in FAULTS for m in re.finditer(fault, unbroken, re.M)]
    faults = [
        m for m in matches if float(m.groupdict().get("beyond", MARGIN)) >= MARGIN
    ]
    return list(dict.fromkeys(m[0] for m in faults))


def _run(folder, *command, accepted=(0,)):
    """Run a command and return its status; Failed if it is none of those that may be."""
    process = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    if (
        process.returncode not in accepted
    ):  # killed, say, with half of the pages written
        output = process.stderr[-2000:]
        raise Failed(f"{' '.join(command)}: ended with {process.returncode}. {output}")
    return process.returncode
