"""What a Sphinx build does about notebooks: executes those that wait, reports failures."""

import os
from pathlib import Path

from sphinx.util import logging

from press.execution import cache
from press.execution.execute import execute

# Set for a build whose caller has executed the notebooks and reports failures itself.
CALLER_REPORTS = "BOOK_CALLER_REPORTS"


def setup(app):
    app.connect("env-get-outdated", _outdated_pages)
    app.connect("env-before-read-docs", _execute)
    app.connect("build-finished", _report_failures, priority=900)


def _outdated_pages(app, env, added, changed, removed):
    """List the pages whose notebook was executed after they were read, or will be now."""
    before = getattr(env, "book_read", {})
    retry_failed = CALLER_REPORTS not in os.environ
    pages = {Path(env.doc2path(page)): page for page in sorted(env.found_docs)}
    return [
        pages[path]
        for path, cached in cache.records(pages, Path(app.srcdir)).items()
        if cache.is_waiting(cached, retry_failed)
        or cache.stamp(cached) != before.get(pages[path])
    ]


def _execute(app, env, pages):
    root = Path(app.srcdir)
    paths = {Path(env.doc2path(page)): page for page in pages}
    execute(paths, root, retry_failed=CALLER_REPORTS not in os.environ)
    read = {
        paths[p]: cache.stamp(cached)
        for p, cached in cache.records(paths, root).items()
    }
    env.book_read = getattr(env, "book_read", {}) | read
    env.mystnb_config.execution_cache_path = str(cache.folder(root))


def _report_failures(app, exception):
    """List the failures after a build that has boxes on its pages; the status is 1.

    It raises nothing, because Sphinx would then discard the pages that it has read.
    """
    if exception is not None or CALLER_REPORTS in os.environ:
        return
    pages = (Path(app.env.doc2path(page)) for page in sorted(app.env.found_docs))
    if failed := cache.failed_cells(pages, Path(app.srcdir)):
        logging.getLogger(__name__).info(cache.failure_report(failed), color="red")
        app.statuscode = 1
