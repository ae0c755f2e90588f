"""Show students' Markdown on pages that others open, without running anything in it."""

from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath


@pass_context
def markdown_alone(context, source: str) -> str:
    """Render a text as nbconvert does, but show HTML in it as it was typed."""
    attachments = context.get("cell", {}).get("attachments", {})
    renderer = IPythonRenderer(
        escape=True, allow_harmful_protocols=False, attachments=attachments
    )
    return MarkdownWithMath(renderer=renderer).render(source)
