"""Links that every reader of a notebook can follow become MyST's roles on the built page.

JupyterLab and GitHub know neither ``references.bib`` nor the labels of other notebooks:
``{cite}`` and a ``{ref}`` across notebooks are a warning sign with a key there. So the
notebooks say the same with ordinary links:

==========================================================  ==============================
``[Kingma and Ba (2015)](references.bib#kingma2015)``        ``{cite:t}`kingma2015```
``[[Kingma and Ba, 2015](references.bib#kingma2015)]``       ``{cite}`kingma2015```
``[[Nair …](references.bib#nair2010); [Glorot …](…)]``       ``{cite}`nair2010,glorot2011```
``[attention](16_attention.ipynb#ch-16)``                    ``[attention](#ch-16)``
``[ridge](03_linear_regression.ipynb#eq-03-ridge)``          ``ridge {eq}`eq-03-ridge```
==========================================================  ==============================
"""

import re

WORDS = r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]"
WORK = r"\[[^\[\]\n]+\]\(references\.bib#([\w-]+)\)"
IN_BRACKETS = re.compile(rf"\[({WORK}(?:[;,] {WORK})*)\]")
ELSEWHERE = re.compile(rf"{WORDS}\(\w+\.(?:ipynb|md)#([\w-]+)\)")


def cite(source):
    """Turn the links to works and to other pages' labels in markdown into roles."""
    source = IN_BRACKETS.sub(_in_brackets, source)
    source = re.sub(WORK, r"{cite:t}`\1`", source)
    return ELSEWHERE.sub(_elsewhere, source)


def cite_outputs(notebook):
    """Do the same for the markdown that an executed notebook displays."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/markdown" in data:
                data["text/markdown"] = cite(data["text/markdown"])


def _in_brackets(match):
    return f"{{cite}}`{','.join(re.findall(WORK, match[1]))}`"


def _elsewhere(match):
    """Keep the words of the link, and add the number of an equation: the build knows it."""
    words, label = match.groups()
    if label.startswith("eq-"):
        return f"{words} {{eq}}`{label}`"
    return f"[{words}](#{label})"
