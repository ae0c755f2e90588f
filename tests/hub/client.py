"""Somebody before a browser: logs in by the hub's form, has a server of their own."""

import base64
import json
import time
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

from tests.homework.assignments import ROOT

COURSE = (ROOT / "hub" / "course_id.txt").read_text("utf-8").strip()
SECONDS = 240  # that a server may take to start, on a busy machine


class Refused(Exception):
    """The hub, or a server behind it, has answered with an error; ``code`` says which."""

    def __init__(self, code: int, text: str):
        super().__init__(f"{code}: {text}")
        self.code = code


class Person:
    """A user of the hub with a browser's cookies, whose addresses are relative to it."""

    def __init__(self, hub: str, name: str, password: str):
        self.hub, self.name, self.cookies = hub, name, CookieJar()
        self.opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(self.cookies))
        self.ask("/hub/login")
        form = {"username": name, "password": password, "_xsrf": self._xsrf("/hub/")}
        # Without a place to go the hub would start a server at once.
        self.ask("/hub/login?next=/hub/home", data=urlencode(form).encode())

    def ask(self, path: str, method: str | None = None, data=None, **headers) -> bytes:
        """Return what the hub answers at a path; raises Refused where that is an error.

        Parameters
        ----------
        data : bytes or dict or list, optional
            Sent as it is, or as JSON; then the method is POST, if none is given.
        """
        if isinstance(data, dict | list):
            data = json.dumps(data).encode()
            headers["Content-Type"] = "application/json"
        owner = "/".join(path.split("/")[: 2 if path.startswith("/hub") else 3])
        if token := self._xsrf(owner):
            headers["X-XSRFToken"] = token
        request = Request(self.hub + path, data=data, method=method, headers=headers)
        try:
            with self.opener.open(request, timeout=SECONDS) as answer:
                self.address = answer.geturl()
                return answer.read()
        except HTTPError as error:
            text = error.read().decode(errors="replace")[-500:]
            raise Refused(error.code, f"{path}: {text}") from None

    def json(self, path: str, **options):
        """Return what the hub answers at a path, read as JSON."""
        return json.loads(self.ask(path, **options))

    def start(self) -> None:
        """Have the hub start a server for this user, if none runs, and log in there."""
        if not self.json(f"/hub/api/users/{self.name}")["server"]:
            self.ask(f"/hub/api/users/{self.name}/server", method="POST")
        end = time.monotonic() + SECONDS
        while not self.json(f"/hub/api/users/{self.name}")["server"]:
            assert time.monotonic() < end, f"expected a server for {self.name}"
            time.sleep(0.2)
        self.ask(f"/user/{self.name}/lab")
        assert f"/user/{self.name}/lab" in self.address, self.address

    def stop(self) -> None:
        """Have the hub stop the server."""
        self.ask(f"/hub/api/users/{self.name}/server", method="DELETE")

    def panel(self, action: str, assignment: str) -> list | dict:
        """Press a button of the panel *Assignments*: fetch, submit or fetch_feedback."""
        data = {"course_id": COURSE, "assignment_id": assignment}
        path = f"/user/{self.name}/assignments/{action}"
        return self.json(path, data=data)["value"]

    def file(self, path: str) -> str:
        """Return the text of a file in this user's server."""
        return self.ask(f"/user/{self.name}/files/{quote(path)}").decode()

    def save(self, path: str, content: bytes) -> None:
        """Save a file as JupyterLab does what is dragged into it."""
        text = base64.b64encode(content).decode()
        data = {"type": "file", "format": "base64", "content": text}
        self.ask(f"/user/{self.name}/api/contents/{quote(path)}", "PUT", data)

    def remove(self, path: str) -> None:
        """Remove a file."""
        self.ask(f"/user/{self.name}/api/contents/{quote(path)}", "DELETE")

    def formgrader(self, path: str, method: str = "GET", data: dict | None = None):
        """Return what the shared formgrader answers; its page logs in there at first."""
        address = f"/services/{COURSE}/formgrader"
        if not self._xsrf(f"/services/{COURSE}"):
            self.ask(f"{address}/")
        if method != "GET":
            data = data or {}
        return self.json(f"{address}/api/{path}", method=method, data=data)

    def _xsrf(self, path):
        path = path.rstrip("/") + "/"
        cookies = [c for c in self.cookies if c.name == "_xsrf" and c.path == path]
        return cookies[0].value if cookies else ""
