"""What stands behind the chapters: solutions, notation, glossary, index, references."""

from docutils import nodes
from pypinyin import lazy_pinyin, load_phrases_dict
from sphinx import addnodes

from press import chapters
from press.paper.latex import escape, place, raw
from press.tables import appendices

HEAD = ("English", "中文", "meaning", "page")  # of the glossary
# A word that pypinyin's phrases lack: by itself its first character is read zhòng.
load_phrases_dict({"重置": [["chóng"], ["zhì"]]})


def solutions(printed):
    """Make the chapter of solutions."""
    section = nodes.section("", nodes.title("", "Solutions"))
    section += raw(r"\begin{solutions}")
    section += [chapter.solutions for chapter in printed if chapter.solutions]
    section += raw(r"\end{solutions}")
    return section


def back_matter(builder):
    """List notation, glossary, index and references, each as a chapter without a number."""
    return [
        _file(builder, "book/notation"),
        _glossary(builder),
        _index(),
        _references(builder),
    ]


def _file(builder, page):
    file = addnodes.start_of_file(docname=page)
    tree = builder.env.get_doctree(page)
    for box in list(tree.findall(nodes.raw)):
        if 'class="finder"' in box.astext():  # a box to type in, and what says so
            introduction = box.parent[box.parent.index(box) - 1]
            box.parent.remove(introduction)
    for cell in list(tree.findall(nodes.container)):
        if "tag_setup" in cell["classes"]:
            cell.parent.remove(cell)
    file += tree.children
    return file


def _glossary(builder):
    """Make the glossary: three columns and the page where a term is introduced."""
    file = _file(builder, "book/glossary")
    for table in file.findall(nodes.table):
        group = table[0]
        del group[3]  # of five columns, so that four are left
        group["cols"] = 4
        for row in table.findall(nodes.row):
            del row[3]
        for entry, title in zip(table.findall(nodes.entry), HEAD, strict=False):
            entry[:] = [nodes.paragraph("", title)]
    return file


def _index():
    section = nodes.section("", nodes.title("", "Index"))
    terms = appendices.rows("glossary")
    english = sorted(terms, key=lambda row: row["english"].lower())
    chinese = sorted(terms, key=lambda row: pinyin_key(row["chinese"]))
    section += _list("Terms", [(r["english"], r) for r in english], _initial)
    section += _list("中文术语", [(r["chinese"], r) for r in chinese], pinyin_letter)
    for kind, name in appendices.KINDS.items():
        rows = [row for row in appendices.rows("index") if row["kind"] == kind]
        rows.sort(key=lambda row: row["name"].lower())
        section += _list(name, [(row["name"], row) for row in rows], lambda text: "")
    return section


def _list(title, entries, letter):
    lines, previous = [rf"\begin{{indexlist}}{{{title}}}"], ""
    for text, row in entries:
        if (initial := letter(text)) != previous:
            previous = initial
            lines.append(rf"\indexletter{{{initial}}}")
        lines.append(rf"\indexline{{{escape(text)}}}{{{label(row)}}}")
    return raw("\n".join([*lines, r"\end{indexlist}"]))


def label(row):
    """Name the place of a row of glossary or index as LaTeX does."""
    page, name = f"{chapters.BOOK.name}/{row['slug']}", row["label"]
    prefix = {"eq": "equation:" + page, "ex": "exercise"}
    return f"{prefix.get(name.split('-')[0], page)}:{name}"


def _initial(text):
    first = text[0].upper()
    return first if first.isascii() and first.isalpha() else ""


def pinyin_key(term: str) -> tuple[bool, list[str]]:
    """Return what sorts Chinese terms by pinyin, those that begin with another script first."""
    return not term[0].isascii(), lazy_pinyin(term)


def pinyin_letter(term: str) -> str:
    """Return the first letter of a Chinese term's pinyin; none if it begins with another script."""
    return "" if term[0].isascii() else _initial(lazy_pinyin(term)[0])


def _references(builder):
    """Take the list of works from the page of sources; LaTeX gives it a title."""
    file = addnodes.start_of_file(docname="book/sources")
    tree = builder.env.get_doctree("book/sources")
    file += [n for n in tree.findall() if type(n).__name__ == "bibliography"]
    return file


def finish(tree):
    """Put pages into the last column of the glossary, once references are resolved."""
    for file in tree.findall(addnodes.start_of_file):
        if file["docname"] != "book/glossary":
            continue
        for row in file.findall(nodes.row):
            for link in row[-1].findall(nodes.reference):
                uri = place(link.get("refuri", "")[1:].replace("#", ":"))
                row[-1][:] = [nodes.paragraph("", "", raw(rf"\pageref{{{uri}}}"))]
                break
