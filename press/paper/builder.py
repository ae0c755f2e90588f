"""The whole book as one tree, in the order of paper."""

from pathlib import Path

from docutils import nodes
from sphinx.builders.latex import LaTeXBuilder
from sphinx.util.docutils import new_document

from press import chapters
from press.paper import back, chapter, figures
from press.paper.latex import escape as latex
from press.paper.latex import raw
from press.paper.writer import Writer

HERE = Path(__file__).parent
TITLE = "Neural Networks, Derived"
SOURCE = "book.tex"
# Of the back matter; what is only on the web stays there: errata, sources, teaching, gallery.
BACK = ("book/notation", "book/glossary", "book/sources")


def setup(app):
    app.add_config_value("book_paper", "a4paper", "", str)  # as LaTeX names it
    app.add_builder(Paper)


class Paper(LaTeXBuilder):
    """The doctrees of the pages, put in the order of a book and written as LaTeX."""

    name = "paper"
    default_translator_class = Writer  # not by set_translator: the theme would set none

    def init(self):
        # Here and not in _config.yml: settings that are read with every page would make
        # the builder of the pages and this one each read again what the other has read.
        config = self.config
        config.latex_documents = [
            (config.root_doc, SOURCE, TITLE, config.author, "manual", False)
        ]
        config.latex_engine = "xelatex"
        config.latex_use_xindy = False
        config.latex_table_style = ["booktabs"]
        config.pygments_style = "bw"
        config.latex_elements = {
            "papersize": config.book_paper,
            "pointsize": "10pt",
            "extraclassoptions": "openany,twoside",
            "babel": "",
            "polyglossia": "\\usepackage{polyglossia}",
            "fontpkg": (HERE / "fonts.tex").read_text("utf-8"),
            "fncychap": "",
            "sphinxsetup": "verbatimwithframe=false, TitleColor={RGB}{0,0,0}, "
            # Or an edge of it shows beneath the ground, on some pixels and not on others.
            "VerbatimColor={RGB}{242,242,242}, VerbatimBorderColor={RGB}{242,242,242}",
            "fvset": r"\fvset{fontsize=\footnotesize, baselinestretch=0.93}",
            "geometry": "",
            "preamble": (HERE / "book.tex").read_text("utf-8"),
            "maketitle": r"\booktitlepage",
            "tableofcontents": r"\bookcontents",
            "makeindex": "",
            "printindex": "",
        }
        super().init()

    def assemble_doctree(self, indexfile, toctree_only, appendices):
        pages = [f"{chapters.BOOK.name}/{slug}" for slug in chapters.CHAPTERS]
        self.docnames = {*pages, *BACK}
        picture = figures.cover(self)
        cover = rf"\bookpicture{{{picture}}}" if picture else ""
        self.context["preamble"] += rf"\newcommand{{\bookcover}}{{{cover}}}"
        tree = new_document("<paper>")
        tree["docname"] = indexfile
        # The writer takes it for the title.
        title = nodes.section("", nodes.title("", TITLE))
        tree += title
        printed = []
        for part in chapters.PARTS:
            title += raw(_part(part))
            for entry in part.chapters:
                printed.append(chapter.printed(self, entry))
                title += printed[-1].body
        title += raw(r"\backmatterbegins")
        title += back.solutions(printed)
        title += back.back_matter(self)
        self.env.resolve_references(tree, indexfile, self)
        chapter.finish(printed)
        back.finish(tree)
        return tree


def _part(part):
    """Make the page before the chapters of a part, which says what each of them holds."""
    holds = [
        rf"\partchapter{{{entry.number}}}{{{latex(entry.title)}}}"
        rf"{{{latex(entry.holds)}}}"
        for entry in part.chapters
    ]
    return "\n".join(
        [
            rf"\bookpart{{{latex(part.name)}}}{{{latex(part.about)}}}",
            *holds,
            r"\partend",
        ]
    )
