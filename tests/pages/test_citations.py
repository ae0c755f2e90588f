"""Links to works and other pages: a reader of a notebook can follow them, and the build too."""

import html
import re
import subprocess
import sys
from functools import cache

import nbformat
import pytest

from press.links import ELSEWHERE, IN_BRACKETS, cite, cite_outputs
from tests.chapter_code import BOOK

PAGES = sorted([*BOOK.glob("*.ipynb"), *BOOK.glob("*.md")])
LINK = re.compile(r"\[([^\[\]\n]+)\]\(references\.bib#([\w-]+)\)")
LABEL = re.compile(
    r"^\(([\w-]+)\)=|\$\$ *\(([\w-]+)\)|^:(?:label|name): *([\w-]+)", re.M
)
KEYS = re.findall(
    r"^@\w+\{([\w-]+),", (BOOK / "references.bib").read_text("utf-8"), re.M
)

CONF = """
extensions = ["myst_parser", "sphinxcontrib.bibtex"]
myst_enable_extensions = ["dollarmath"]
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"
numfig = math_numfig = True
math_eqref_format = "({number})"
"""
HOME = """(sec-home)=
# Home

$$a = b$$ (eq-home)
"""

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)


def text(page):
    """Return the markdown of a page."""
    if page.suffix == ".md":
        return page.read_text("utf-8")
    cells = nbformat.read(page, 4).cells
    return "\n\n".join(c.source for c in cells if c.cell_type == "markdown")


@cache
def labels(page):
    return {label for groups in LABEL.findall(text(page)) for label in groups if label}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """What Sphinx prints for each work, as ``{role: {key: text}}``, and for links to a page."""
    folder = tmp_path_factory.mktemp("works")
    (folder / "conf.py").write_text(CONF)
    (folder / "references.bib").write_bytes((BOOK / "references.bib").read_bytes())
    (folder / "home.md").write_text(HOME)
    lines = [f"{key} <{{cite}}`{key}`> <{{cite:t}}`{key}`>\n" for key in KEYS]
    links = "See [the *home* of $x$](home.md#sec-home), [the law](home.md#eq-home)."
    page = ["# Works\n", *lines, cite(links), "\n```{bibliography}\n```\n"]
    (folder / "index.md").write_text("\n".join([*page, "```{toctree}\nhome\n```\n"]))
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", ".", "out"]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    page = (folder / "out" / "index.html").read_text("utf-8")
    plain = html.unescape(re.sub(r"<[^>]+>", "", page))
    works = re.findall(r"^([\w-]+) <\[(.+)\]> <(.+)>$", plain, re.M)
    assert [key for key, _, _ in works] == KEYS
    brackets = {key: text for key, text, _ in works}
    words = {key: re.sub(r"\[(.+)\]$", r"(\1)", text) for key, _, text in works}
    return brackets, words, re.search(r"<p>(See .+?)</p>", page)[1]


@pytest.mark.parametrize(
    ("link", "role"),
    [
        ("by [Kingma and Ba (2015)](references.bib#kingma2015).", "by {cite:t}`kingma2015`."),
        ("so [[Tan, 2019](references.bib#tan2019)], eq. 1.8", "so {cite}`tan2019`, eq. 1.8"),
        ("[[A, 1](references.bib#a-1); [B, 2](references.bib#b)]", "{cite}`a-1,b`"),
        ("[[A, 1](references.bib#a)] [B (2)](references.bib#b)", "{cite}`a` {cite:t}`b`"),
        ("| [[A, 1](references.bib#a)] | $[0, 1]$ |", "| {cite}`a` | $[0, 1]$ |"),
        ("[Chapter 3](03_linear_regression.ipynb#ch-03)", "[Chapter 3](#ch-03)"),
        ("[who wins *here*](10_x.ipynb#sec-10-a)", "[who wins *here*](#sec-10-a)"),
        ("[in $[0, 1]$](10_x.ipynb#sec-10-a)", "[in $[0, 1]$](#sec-10-a)"),
        ("by [ridge](03_x.ipynb#eq-03-ridge).", "by ridge {eq}`eq-03-ridge`."),
        ("[for teachers](teaching.md#teaching)", "[for teachers](#teaching)"),
    ],
)  # fmt: skip
def test_a_link_becomes_the_role_it_stands_for(link, role):
    assert cite(link) == role


@pytest.mark.parametrize(
    "other",
    [
        "[a picture](data/a.png), [a page](errata.ipynb), [here](#sec-03-ridge)",
        "[a site](https://example.org/a.md#b) and $[0, 1](x)$, {eq}`eq-03-ridge`",
        "[at η = 0.21](#descent:lr=0.21,momentum=0.9)",
    ],
)
def test_other_links_stay_as_they_are(other):
    assert cite(other) == other


def test_so_do_links_that_code_displays():
    table = {"text/markdown": "[a](03_x.ipynb#eq-03-a)", "text/plain": "[a](b.md#c)"}
    cell = nbformat.v4.new_code_cell(
        outputs=[nbformat.v4.new_output("display_data", table)]
    )
    printed = nbformat.v4.new_output("stream", text="[a](03_x.ipynb#eq-03-a)")
    cell.outputs.append(printed)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(), cell])
    cite_outputs(notebook)
    assert cell.outputs[0].data == table | {"text/markdown": "a {eq}`eq-03-a`"}
    assert cell.outputs[1].text == "[a](03_x.ipynb#eq-03-a)"


def test_a_link_to_another_page_keeps_its_words_and_gets_the_number(built):
    see = built[2]
    assert 'href="home.html#sec-home"' in see and "<em>home</em>" in see
    assert 'href="home.html#equation-eq-home"' in see and "the law <a" in see
    assert "(1)" in see and "math" in see


@every_page
def test_a_link_to_a_work_says_what_the_built_page_prints(page, built):
    brackets, words, _ = built
    page_text = text(page)
    inside = "".join(match[0] for match in IN_BRACKETS.finditer(page_text))
    for part, prints in [(inside, brackets), (IN_BRACKETS.sub("", page_text), words)]:
        for says, key in LINK.findall(part):
            assert key in KEYS, f"{key}: expected one of the works in references.bib"
            assert says == prints[key], f"{key}: expected {prints[key]!r}, got {says!r}"


@every_page
def test_a_link_to_another_page_leads_to_a_label(page):
    for says, label in ELSEWHERE.findall(text(page)):
        home = re.search(rf"\]\(([\w.]+)#{label}\)", text(page))[1]
        assert (BOOK / home).exists(), f"[{says}]({home}#{label}): no such page"
        assert label in labels(BOOK / home), f"[{says}]({home}#{label}): no such label"


@every_page
def test_no_role_is_left_that_jupyterlab_shows_as_a_warning_sign(page):
    own_labels, page_text = labels(page), text(page)
    assert not re.findall(r"\{cite[^}]*\}`[^`]*`", page_text)
    for target in re.findall(r"\{(?:ref|eq)\}`(?:[^`<]*<)?([\w-]+)>?`", page_text):
        assert target in own_labels, f"{target}: write [words](page.ipynb#{target})"


@every_page
def test_a_reference_to_a_chapter_is_a_link(page):
    bare = re.sub(
        r"\[[^\[\]]*\]\([^()]*\)|^#.*|^- .*references\.bib.*",
        "",
        text(page),
        flags=re.M,
    )
    assert not re.findall(r"\bChapters? \d+.{0,40}", bare)
