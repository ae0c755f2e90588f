"""A Firefox as its makers ship it, for Playwright, which expects the newest one.

Playwright starts this in place of Firefox and speaks WebDriver BiDi with it. What an older
Firefox does not know and no test needs, ``SPARED``, is answered here as done; all else goes
through as it is.

    python tests/engines/firefox.py /usr/bin/firefox-esr --headless …
"""

import asyncio
import json
import re
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

SPARED = "emulation.setMediaFeaturesOverride"  # not in Firefox 153
LISTENS = re.compile(r"(WebDriver BiDi listening on) (ws://\S+)")


async def main(program: str, *arguments: str) -> int:
    """Run Firefox until it ends; its status."""
    firefox = await asyncio.create_subprocess_exec(
        program, *arguments, stderr=asyncio.subprocess.PIPE
    )
    async for line in firefox.stderr:
        line_text = line.decode(errors="replace")
        if match := LISTENS.search(line_text):
            line_text = f"{match[1]} {await between(match[2])}\n"
        sys.stderr.write(line_text)
        sys.stderr.flush()
    return await firefox.wait()


async def between(address: str) -> str:
    """The address of a server that hands on all messages to the one at ``address``."""

    async def speak(client):
        async with connect(address + client.request.path, max_size=None) as firefox:
            await asyncio.wait(
                [
                    asyncio.create_task(hand_on(client, firefox)),
                    asyncio.create_task(hand_on(firefox, client)),
                ],
                return_when=asyncio.FIRST_COMPLETED,
            )

    server = await serve(speak, "127.0.0.1", 0, max_size=None)
    return f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def hand_on(source, target):
    """What ``source`` sends, to ``target``."""
    async for text in source:
        await target.send(spared(text))


def spared(text: str) -> str:
    """Return a message, or success in place of the error that Firefox does not know ``SPARED``."""
    message = json.loads(text) if '"unknown command"' in text else {}
    if message.get("error") == "unknown command" and SPARED in message["message"]:
        return json.dumps({"type": "success", "id": message["id"], "result": {}})
    return text


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
