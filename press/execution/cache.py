"""Notebooks run in parallel, and again only if what they use has changed.

jupyter-cache knows a notebook by its code cells alone. So its outputs lie in a folder
whose name is a digest of all else that can change them: the modules of this repository
that it imports, the data files which its code or theirs names, and the installed
versions of the packages that all of these import, with what those packages need.
"""

import ast
import functools
import hashlib
import os
import platform
import re
from concurrent.futures import ThreadPoolExecutor, as_completed
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from packaging.requirements import Requirement
from sphinx.errors import ExtensionError
from sphinx.util import logging

from press.pages.links import cite_outputs

LOGGER = logging.getLogger(__name__)
KERNEL = "import ipykernel, press.figures"  # what runs a notebook and shows its outputs
QUIET = ["--IPKernelApp.log_level=ERROR"]  # a kernel warns each time that it uses TCP
DATA = (
    "*.yml",
    "press/figures/*",
    "utils/**/*",
    "book/*",
    "book/data/*",
)  # where a notebook may read
FILE_NAME = re.compile(r"[\w*/.-]+\.\w+")


def setup(app):
    # Inherited by the kernels; see utils.interact.
    os.environ["BOOK_FIGURES"] = "press.figures:static_bundle"
    paths = str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.environ["OMP_NUM_THREADS"] = "1"
    app.connect("env-get-outdated", _read_again)
    app.connect("env-before-read-docs", _execute)
    app.connect("source-read", _choose_cache)


def _read_again(app, env, added, changed, removed):
    """Pages that stay as they were, although what their code uses has changed."""
    before, env.book_keys = getattr(env, "book_keys", {}), {}
    for page in sorted(env.found_docs):
        if notebook := _notebook(env, page):
            env.book_keys[page] = key(_code(notebook), Path(app.srcdir))
    return [page for page, now in env.book_keys.items() if before.get(page) != now]


def _execute(app, env, pages):
    """Run what no cache holds, a kernel a core; what failed is named once all have run."""
    waiting = []
    for page in pages:
        if notebook := _notebook(env, page):
            try:
                _cache(app, page).match_cache_notebook(notebook)
            except KeyError:
                waiting.append((page, notebook))
    # The longest first: what takes the time is a figure with every position drawn, and
    # what the tests skip as slow.
    waiting.sort(key=lambda x: _weight(x[1]), reverse=True)
    failures = []
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a kernel has one core to itself
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {pool.submit(_run, app, *each): each[0] for each in waiting}
        for run in as_completed(runs):
            page = runs[run]
            path = env.doc2path(page)
            # Of the notebook, or of what runs it: a kernel that died.
            if error := run.exception() or run.result().err:
                failures.append(f"{path}: {error}")
                continue
            result = run.result()
            LOGGER.info("%s: executed in %.0f s", path, result.time)
            cite_outputs(result.nb)
            _cache(app, page).cache_notebook_bundle(
                CacheBundleIn(result.nb, path, data={"execution_seconds": result.time}),
                check_validity=False,
                overwrite=True,
            )
    if failures:
        raise ExtensionError("\n\n".join(sorted(failures)))


def _weight(notebook):
    tags = [tag for cell in notebook.cells for tag in cell.metadata.get("tags", [])]
    return sum(tag in ("widget", "slow") for tag in tags)


def _run(app, page, notebook):
    folder = Path(app.env.doc2path(page)).parent
    return single_nb_execution(
        notebook,
        cwd=str(folder),
        timeout=app.config.nb_execution_timeout,
        allow_errors=False,
        extra_arguments=QUIET,
    )


def _choose_cache(app, page, source):
    if page in app.env.book_keys:
        app.env.mystnb_config.execution_cache_path = _folder(app, page)


def _folder(app, page):
    return str(Path(app.srcdir, "_build", ".jupyter_cache", app.env.book_keys[page]))


def _cache(app, page):
    return get_cache(_folder(app, page))


def _notebook(env, page):
    """The notebook of a page as myst-nb reads it; None for a page without code."""
    path = env.doc2path(page)
    text = Path(path).read_text("utf-8")
    reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
    return reader and reader.read(text)


def _code(notebook):
    """The code cells of a notebook as one piece of Python, magics included."""
    python = TransformerManager().transform_cell
    return "\n".join(python(c.source) for c in notebook.cells if c.cell_type == "code")


def key(code, root):
    """Digest of what Python code uses, besides itself, of a repository and its packages."""
    digest = hashlib.sha256()
    files, packages = uses(code, root)
    for path in sorted(files):
        digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    versions = [f"{name}=={_package(name)[0]}" for name in sorted(packages)]
    digest.update("\n".join([platform.python_version(), *versions]).encode())
    return digest.hexdigest()[:12]


def uses(code, root):
    """Files of a repository and names of distributions that Python code comes to use."""
    files, outside, waiting = set(), set(), [(code, ()), (KERNEL, ())]
    while waiting:
        imports, literals = _read(*waiting.pop())
        files |= {path for path in _data(root) if _is_named(path, root, literals)}
        for name in imports:
            found = _modules(root, name)
            if not found:
                outside.add(name[0])
            for path in found - files:
                files.add(path)
                inside = path.relative_to(root).parent.parts
                waiting.append((path.read_text("utf-8"), inside))
    owners = _owners()
    return files, _with_needs({o for name in outside for o in owners.get(name, ())})


@functools.cache
def _read(source, package):
    """What code imports, as ``("utils", "checks", "assert_close")``, and files it names."""
    imports, literals = set(), set()
    try:
        tree = ast.parse(source)
    except SyntaxError:  # which its execution reports
        return imports, literals
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                imports |= {tuple(alias.name.split(".")) for alias in names}
            case ast.ImportFrom(module, names, level):
                base = package[: len(package) - level + 1] if level else ()
                base += tuple(module.split(".")) if module else ()
                imports |= {(*base, alias.name) for alias in names}
            case ast.Constant(str(text)):
                literals.add(text)
            case ast.JoinedStr(parts):  # f"data/sources_{number}.csv" names them all
                values = (getattr(part, "value", None) for part in parts)
                literals.add("".join(v if isinstance(v, str) else "*" for v in values))
    return imports, {Path(text).name for text in literals if FILE_NAME.fullmatch(text)}


def _modules(root, name):
    """The files that an import of ``name`` runs; none where it lies outside of ``root``."""
    found = set()
    for i in range(1, len(name) + 1):
        stem = root.joinpath(*name[:i])
        choices = (stem.with_suffix(".py"), stem / "__init__.py")
        found |= {path for path in choices if path.is_file()}
    return found


def _is_named(path, root, literals):
    """As ``data/sources_*.csv`` or, beside a module, as matplotlib has it: ``utils.book``."""
    dotted = ".".join(path.relative_to(root).with_suffix("").parts)
    return dotted in literals or any(
        path.suffix == Path(pattern).suffix and fnmatch(path.name, pattern)
        for pattern in literals
    )


@functools.cache
def _data(root):
    found = (path for pattern in DATA for path in root.glob(pattern))
    return [path for path in found if path.is_file() and path.suffix != ".py"]


@functools.cache
def _owners():
    """Of each top-level name that can be imported the distributions that bring it."""
    return metadata.packages_distributions()


def _with_needs(distributions):
    """Distributions with all that they require, as far as it is installed."""
    found, waiting = set(), list(distributions)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        version, needs = _package(name)
        if version and name not in found:
            found.add(name)
            waiting += needs
    return found


@functools.cache
def _package(name):
    """Version of a distribution, and the names of those it requires; None and none if absent."""
    try:
        package = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None, []
    needs = map(Requirement, package.requires or [])
    wanted = [n.name for n in needs if not n.marker or n.marker.evaluate({"extra": ""})]
    return package.version, wanted
