"""Number equations, figures and exercises anew in each chapter: 3.1, 3.2, …

``_number_by_chapter`` makes the pair (3, 1) of the first equation of Chapter 3, and Sphinx
writes it as (3.1).

Sphinx can do this by section numbers (``numfig_secnum_depth``), but it has those from a
numbered table of contents alone: that would put a second number before "Chapter 3 · Linear
regression", count the gallery as the first chapter, and begin anew in each part.
"""

from press import chapters


def setup(app):
    # Sphinx counts at 500 and compares with what it counted in the last build.
    app.connect("env-get-updated", _restore, priority=400)
    app.connect("env-get-updated", _number_by_chapter, priority=900)
    app.connect("env-get-updated", _write_all_if_titles_change, priority=901)


def _restore(app, env):
    """Give Sphinx its own counts of the last build back, with which it compares."""
    env.toc_fignumbers = getattr(env, "book_counts", {})
    return []


def _number_by_chapter(app, env):
    """Put the chapter's number before the count within the chapter."""
    env.book_counts, numbered = env.toc_fignumbers, {}
    for page, kinds in env.toc_fignumbers.items():
        slug = chapters.of_page(page)
        prefix = (int(chapters.digits(slug)),) if slug else ()
        numbered[page] = {
            kind: {
                label: (*prefix, i)
                for i, label in enumerate(sorted(counts, key=counts.get), start=1)
            }
            for kind, counts in kinds.items()
        }
    env.toc_fignumbers = numbered
    return []


def _write_all_if_titles_change(app, env):
    """Return all pages if a title has changed: sidebars and feet name other pages."""
    titles = {page: title.astext() for page, title in env.titles.items()}
    before, env.book_titles = getattr(env, "book_titles", None), titles
    return [] if before == titles else list(titles)
