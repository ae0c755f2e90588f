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
    """Jupyter Book adds Thebe's script twice, which is an error in the console; we use none."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe" not in f"{script} {getattr(script, 'attributes', '')}".lower()
    ]


def _name_parts(app, page, template, context, doctree):
    """For the foot of a page: the captions of ``_toc.yml`` over it and its neighbours."""
    root, relations = app.env.external_site_map.root, app.builder.relations
    parts = {name: tree.caption for tree in root.subtrees for name in tree.files()}

    def part(name):
        above = relations.get(name, [None])[0]
        return parts.get(name) or (above and part(above))

    _, before, after = relations.get(page, (None, None, None))
    context["part"] = part(page)
    context["prev_part"], context["next_part"] = part(before), part(after)
