"""The scripts of a page, and at its foot what comes before and after, and which part."""

from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"


def setup(app):
    app.connect("config-inited", _use_templates)
    app.connect("html-page-context", _without_thebe, priority=900)
    app.connect("html-page-context", _name_parts)


def _use_templates(app, config):
    config.templates_path = [*config.templates_path, str(TEMPLATES)]


def _without_thebe(app, page, template, context, doctree):
    """Drop Thebe's script: Jupyter Book adds it twice, an error in the console, and we use none."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe" not in f"{script} {getattr(script, 'attributes', '')}".lower()
    ]


def _name_parts(app, page, template, context, doctree):
    """Give the foot of a page the captions of ``_toc.yml`` over it and its neighbours."""
    root, relations = app.env.external_site_map.root, app.builder.relations
    parts = {name: tree.caption for tree in root.subtrees for name in tree.files()}

    def part(name):
        parent = relations.get(name, [None])[0]
        return parts.get(name) or (parent and part(parent))

    _, before, after = relations.get(page, (None, None, None))
    context["part"] = part(page)
    context["prev_part"], context["next_part"] = part(before), part(after)
