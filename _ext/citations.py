"""Citations and references that read well in JupyterLab become roles for the book."""


def cite(text):
    """The markdown with its citations as MyST knows them."""
    return text
