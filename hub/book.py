"""Serve the built book at /services/book/ to everybody who can reach the hub."""

import os
import sys
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Book(SimpleHTTPRequestHandler):
    """Serves the files of a folder, without the prefix of the hub's addresses."""

    def translate_path(self, path):
        """Return the file for an address."""
        return super().translate_path("/" + path.removeprefix(PREFIX))

    def list_directory(self, path):
        """Answer that there is nothing: folders are not listed."""
        self.send_error(404)


if __name__ == "__main__":
    PREFIX = os.environ["JUPYTERHUB_SERVICE_PREFIX"]
    address = urlsplit(os.environ["JUPYTERHUB_SERVICE_URL"])
    # By its name, so that a book which is built anew is served as well.
    server = ThreadingHTTPServer(
        (address.hostname, address.port), partial(Book, directory=sys.argv[1])
    )
    with suppress(KeyboardInterrupt):  # so the hub ends it
        server.serve_forever()
