"""The shared formgrader: a single-user server that the staff of the course share.

JupyterHub stops if one of its services has not answered within ten seconds, and on a busy
machine Jupyter takes longer to load. So a small server answers until it is loaded.
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit


class Placeholder(BaseHTTPRequestHandler):
    """Answers every request until the formgrader is loaded."""

    def do_GET(self):
        """Answer with a status below 500, which the hub accepts as an answer."""
        self.send_error(425, "The formgrader starts: try again in a moment")


if __name__ == "__main__":
    address = urlsplit(os.environ["JUPYTERHUB_SERVICE_URL"])
    server = ThreadingHTTPServer((address.hostname, address.port), Placeholder)
    Thread(target=server.serve_forever, daemon=True).start()
    from jupyterhub.singleuser import main  # imported late, since loading it takes long

    server.shutdown()
    server.server_close()
    sys.exit(main())
