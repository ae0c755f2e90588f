"""Code of checks, experiments, figures and answers folded; highlighted in few elements."""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from pygments.formatters import HtmlFormatter
from pygments.styles import get_style_by_name
from pygments.token import Name, Text
from sphinx.highlighting import PygmentsBridge
from sphinx.transforms.post_transforms import SphinxPostTransform

from press import chapters
from press.execution.failure_box import boxes

# Lines that may stand open: a short check is the lesson, a short experiment says what it does,
# while a check of what a figure shows (``seen``) is for readers who doubt the figure.
MAX_OPEN_LINES = {"seen": 0, "check": 6, "run": 12}
FOLDED = {
    "seen": "the code of this check",
    "check": "the code of this check",
    "run": "the code of this experiment",
}


def setup(app):
    app.connect("config-inited", _use_lean_formatter)
    app.add_post_transform(Fold)
    app.add_post_transform(CodeUnderFigure)
    app.add_post_transform(CodeInAnswer)


def _figure(cell):
    return {"tag_figure", "tag_widget"}.intersection(cell["classes"])


class Fold(SphinxPostTransform):
    """Fold the code of figures, of long checks and experiments; what they show stays.

    Here and not by a tag in the notebook: the cache would see another notebook, and
    JupyterLab shows all. Only in chapters: on a page of errata the check is what one
    came for.
    """

    default_priority = 198  # right before myst-nb folds
    formats = ("html",)

    def run(self, **kwargs):
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") != "cell_code":
                continue
            if cell.get("hide_mode") and boxes(cell):
                cell["hide_mode"] = "input"  # of a cell that failed the box is seen
            if cell.get("hide_mode") == "all":
                continue
            subject = "the code of this figure" if _figure(cell) else self._long(cell)
            if subject:
                cell["hide_mode"] = "input"
                cell["prompt_show"] = f"Show {subject}"
                cell["prompt_hide"] = f"Hide {subject}"

    def _long(self, cell):
        """Name a cell of a chapter whose code is folded for its length."""
        code = next(iter(cell.findall(nodes.literal_block)), None)
        if code is None or not chapters.of_page(self.env.docname):
            return None
        lines = len(code.astext().splitlines())
        for kind, max_lines in MAX_OPEN_LINES.items():
            if f"tag_{kind}" in cell["classes"] and lines > max_lines:
                return FOLDED[kind]
        return None


class CodeUnderFigure(SphinxPostTransform):
    """Put the code of a figure, folded, under its picture."""

    default_priority = 200  # right after myst-nb has folded
    formats = ("html",)

    def run(self, **kwargs):
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code" and _figure(cell):
                folded = [x for x in cell.children if isinstance(x, HideCodeCellNode)]
                cell.children = [x for x in cell.children if x not in folded] + folded
                for node in folded:
                    node["classes"].append("under-figure")


class CodeInAnswer(SphinxPostTransform):
    """The code of an answer stands in its fold: no line of it under a question."""

    default_priority = 202  # when all that folds is in place
    formats = ("html",)

    def run(self, **kwargs):
        for cell in list(self.document.findall(nodes.container)):
            if "tag_solution" not in cell["classes"] or boxes(cell):
                continue
            before = cell.parent[: cell.parent.index(cell)]
            if before and "dropdown" in before[-1]["classes"]:
                cell.parent.remove(cell)
                before[-1] += cell


class LeanFormatter(HtmlFormatter):
    """No element around what looks like plain text; one around neighbours that look alike.

    A chapter has thousands of names, commas and brackets: elements that cost a reader
    a second and say nothing. Names are plain text as well.
    """

    styles = ()

    def _format_lines(self, tokens):
        return super()._format_lines(self._alike(tokens))

    def _alike(self, tokens):
        previous = Text
        for kind, value in tokens:
            # White space between two words of a kind parts them not.
            if value.isspace() and "\n" not in value:
                kind = previous
            previous = kind
            yield kind, value

    def _get_css_classes(self, kind):
        return "" if self._is_plain(kind) else self._get_css_class(kind)

    def _is_plain(self, kind):
        looks = [
            (s.style_for_token(kind), s.style_for_token(Text)) for s in self.styles
        ]
        return kind is Name or all(look == plain for look, plain in looks)


def _use_lean_formatter(app, config):
    options = config.html_theme_options
    names = [options[f"pygments_{theme}_style"] for theme in ("light", "dark")]
    LeanFormatter.styles = [get_style_by_name(name) for name in names]
    PygmentsBridge.html_formatter = LeanFormatter
