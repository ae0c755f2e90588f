"""What students have typed, on pages that others open: shown, but nothing in it runs."""

from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath


@pass_context
def markdown_alone(context, source: str) -> str:
    """What nbconvert makes of a text, but HTML in it is shown as it was typed."""
    attachments = context.get("cell", {}).get("attachments", {})
    renderer = IPythonRenderer(
        escape=True, allow_harmful_protocols=False, attachments=attachments
    )
    return MarkdownWithMath(renderer=renderer).render(source)
