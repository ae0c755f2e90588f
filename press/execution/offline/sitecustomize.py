"""Loaded by every Python that the tests start: no connection leaves this machine."""

import socket

_connect = socket.socket.connect


def connect(self, address):
    """Refuse whatever is not a loopback address or a local socket."""
    inet = self.family in (socket.AF_INET, socket.AF_INET6)
    if inet and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise ConnectionError(
            f"expected no network in the tests, got a connection to {address}"
        )
    return _connect(self, address)


socket.socket.connect = connect
