"""A JupyterHub for one machine and one course: `make hub`; README.md says what runs where.

Read from the environment, so that no secret is in a file of this folder:

HUB_STUDENT_PASSWORD, HUB_STAFF_PASSWORD   what students and staff log in with
JPY_COOKIE_SECRET      JupyterHub's own, 64 hexadecimal digits: `openssl rand -hex 32`
HUB_PEOPLE             a table of names and roles, people.csv beside this file by default
HUB_FOLDER             whatever is written, _build/hub by default: move it where marks count
HUB_PORT               where the proxy listens, 8000 by default; always on 127.0.0.1
HUB_ALLOW_ROOT         anything, for a container in which there is only root
HUB_GRADER             a user of the system: then root starts the hub, people log in with the
                       system's passwords, each server runs as its own user, the formgrader as
                       this one, and the two passwords above are not needed
"""

import csv
import os
import secrets
import shutil
import socket
import sys
from pathlib import Path

from jupyterhub.auth import Authenticator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
COURSE = (HERE / "course_id.txt").read_text("utf-8").strip()
ROLES = ("instructor", "marker", "student")
SECRETS = {"HUB_STUDENT_PASSWORD": 8, "HUB_STAFF_PASSWORD": 16, "JPY_COOKIE_SECRET": 64}
PROXY = ROOT / "_build" / "node" / "node_modules" / ".bin" / "configurable-http-proxy"


def secret(name: str) -> str:
    """Read a secret of the environment; exit with a sentence if it is missing or short."""
    value, min_length = os.environ.get(name, ""), SECRETS[name]
    if len(value) < min_length:
        got = f"{len(value)} characters" if value else "nothing"
        sys.exit(f"{name}: expected at least {min_length} characters, got {got}")
    return value


def people(path: Path) -> dict[str, str]:
    """Read the role of everybody in the course, by name; exit if the table is wrong."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"HUB_PEOPLE: expected a table in UTF-8, got {error}")
    roles = {}
    for number, row in enumerate(rows, start=2):
        name, role = ((row.get(k) or "").strip() for k in ("name", "role"))
        # nbgrader's exchange has the name in a file name, between signs of plus.
        if not name.replace("-", "").replace("_", "").isalnum() or name != name.lower():
            sys.exit(f"{path}, row {number}: expected a name like ada-l, got {name!r}")
        if role not in ROLES:
            sys.exit(f"{path}, row {number}: expected one of {ROLES}, got {role!r}")
        roles[name] = role
    return roles


def free_port() -> int:
    """Find a port of this computer that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def writable(folder: Path) -> Path:
    """Make a folder if need be; exit with a sentence where it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".tried").touch()
        (folder / ".tried").unlink()
    except OSError as error:
        sys.exit(f"HUB_FOLDER: expected a folder to write into, got {error}")
    return folder


class ByRole(Authenticator):
    """One password for students and one for staff: enough to try a course, not to run it.

    A real course uses its university's login instead, such as oauthenticator's or PAM.
    """

    async def authenticate(self, handler, data):
        """Return the name if the password is the one for its role, else None."""
        staff = PEOPLE.get(data["username"]) in ("instructor", "marker")
        expected = secret("HUB_STAFF_PASSWORD" if staff else "HUB_STUDENT_PASSWORD")
        correct = secrets.compare_digest(data["password"].encode(), expected.encode())
        return data["username"] if correct else None


def need_user(grader: str) -> None:
    """Exit with a sentence where the hub is started by the wrong user."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if grader and not root:
        sys.exit("HUB_GRADER: expected root, which starts servers as other users")
    if root and not grader and not os.environ.get("HUB_ALLOW_ROOT"):
        sys.exit(
            "Expected an ordinary user, or HUB_GRADER; got root, and so would all students"
        )


c = get_config()  # noqa: F821  JupyterHub provides it
GRADER = os.environ.get("HUB_GRADER", "")
need_user(GRADER)
for name in ["JPY_COOKIE_SECRET"] if GRADER else SECRETS:
    secret(name)
PEOPLE = people(Path(os.environ.get("HUB_PEOPLE", HERE / "people.csv")))
FOLDER = writable(Path(os.environ.get("HUB_FOLDER", ROOT / "_build" / "hub")).resolve())
EXCHANGE = writable(FOLDER / "exchange")
EXCHANGE.chmod(0o1777)  # as nbgrader wants it, but nobody renames what is another's
writable(FOLDER / "course").chmod(0o700)
writable(FOLDER / "hub").chmod(0o700)
# The homes of the hub to try, whose servers are one user's:
writable(FOLDER / "homes").chmod(0o700)
# Before any student can make it, and have nbgrader refuse a folder that is not its own.
writable(EXCHANGE / COURSE).chmod(0o755)
if GRADER:
    for folder in (EXCHANGE, EXCHANGE / COURSE, FOLDER / "course"):
        shutil.chown(folder, GRADER)
tools = str(Path(sys.executable).parent)  # nbgrader calls alembic by this bare name
os.environ["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", "")])

# Nothing listens beyond this computer. For others put a web server with TLS before it.
c.JupyterHub.bind_url = f"http://127.0.0.1:{os.environ.get('HUB_PORT', 8000)}"
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = free_port()
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{free_port()}"
c.ConfigurableHTTPProxy.command = (
    str(PROXY) if PROXY.exists() else shutil.which(PROXY.name) or PROXY.name
)
c.ConfigurableHTTPProxy.pid_file = str(FOLDER / "hub" / "proxy.pid")
c.JupyterHub.db_url = f"sqlite:///{FOLDER / 'hub' / 'hub.sqlite'}"
c.JupyterHub.authenticator_class = "pam" if GRADER else ByRole
c.Authenticator.allowed_users = set(PEOPLE)

# Simple: every server runs as the user who has started the hub, which is to try it.
c.JupyterHub.spawner_class = "localprocess" if GRADER else "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(FOLDER / "homes" / "{username}")
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
if not GRADER and os.environ.get("HUB_ALLOW_ROOT"):
    c.Spawner.cmd += ["--allow-root"]
c.Spawner.default_url = "/lab"
c.Spawner.http_timeout = c.Spawner.start_timeout = 180
COMMON = {
    "NBGRADER_EXCHANGE": str(EXCHANGE),
    "JUPYTERHUB_SINGLEUSER_EXTENSION": "1",
    "JUPYTER_PLATFORM_DIRS": "1",
}


def for_role(spawner) -> None:
    """Show students the panel *Assignments*, and staff also the link to the formgrader."""
    panels = "student" if PEOPLE.get(spawner.user.name) == "student" else "staff"
    paths = os.pathsep.join(map(str, (HERE / panels, HERE)))
    spawner.environment = COMMON | {"JUPYTER_CONFIG_PATH": paths}


c.Spawner.pre_spawn_hook = for_role

staff = [name for name, role in PEOPLE.items() if role != "student"]
students = [name for name, role in PEOPLE.items() if role == "student"]
c.JupyterHub.load_groups = {
    f"formgrade-{COURSE}": {"users": staff},
    f"nbgrader-{COURSE}": {"users": students},
}
c.JupyterHub.load_roles = [
    {
        "name": "formgrade",
        "groups": [f"formgrade-{COURSE}"],
        "scopes": [
            f"access:services!service={COURSE}",
            "list:services",
            f"read:services!service={COURSE}",
        ],
    },
    {
        # JupyterHub's own, and what nbgrader asks: which courses is this user in?
        "name": "server",
        "scopes": [
            "users:activity!user",
            "access:servers!server",
            "read:users:name!user",
            "read:users:groups!user",
            "list:services",
            "read:services",
        ],
    },
]
c.JupyterHub.services = [
    {  # the shared formgrader, whose name has to be the course's
        "name": COURSE,
        "oauth_no_confirm": True,  # it is ours: nobody is asked whether to trust it
        "url": f"http://127.0.0.1:{free_port()}",
        "command": [
            sys.executable,
            str(HERE / "formgrader.py"),
            f"--ServerApp.root_dir={FOLDER / 'course'}",
            *c.Spawner.cmd[3:],
        ],
        "cwd": str(FOLDER / "course"),
        **({"user": GRADER} if GRADER else {}),
        "environment": COMMON
        | {
            "JUPYTER_CONFIG_PATH": os.pathsep.join(map(str, (HERE / "staff", HERE))),
            "HUB_COURSE_FOLDER": str(FOLDER / "course"),
            "HUB_GRADER": GRADER,
            "JUPYTERHUB_DEFAULT_URL": "/formgrader",
        },
    }
]
if (pages := ROOT / "_build" / "html").is_dir():  # the built book, for everybody
    book = {
        "name": "book",
        "url": f"http://127.0.0.1:{free_port()}",
        "command": [sys.executable, str(HERE / "book.py"), str(pages)],
        **({"user": GRADER} if GRADER else {}),
    }
    c.JupyterHub.services.append(book)
