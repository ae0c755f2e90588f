"""What the hub's configuration asks for and refuses; Kubernetes has the same course."""

import csv
import getpass
import json
import re
import subprocess

import pytest
import yaml
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from tests.homework.assignments import ROOT
from tests.hub.client import COURSE
from tests.hub.running import SECRETS, command, environment

HUB = ROOT / "hub"


def configuration(folder, monkeypatch, **more) -> Config:
    """Return what JupyterHub reads, in this process."""
    for name, value in environment(folder, **more).items():
        monkeypatch.setenv(name, value)
    return PyFileConfigLoader("jupyterhub_config.py", path=str(HUB)).load_config()


def values():
    return yaml.safe_load((HUB / "values.yaml").read_text())


@pytest.mark.parametrize("name", SECRETS)
def test_without_a_secret_it_says_so(tmp_path, monkeypatch, name):
    for value, message in (("", "got nothing"), ("short", "got 5 characters")):
        with pytest.raises(
            SystemExit, match=rf"^{name}: expected at least .* {message}$"
        ):
            configuration(tmp_path, monkeypatch, **{name: value})


def test_the_command_ends_with_the_sentence_alone(tmp_path):
    env = environment(tmp_path, JPY_COOKIE_SECRET="")
    process = subprocess.run(command(), env=env, capture_output=True, text=True)
    lines = (process.stdout + process.stderr).strip().splitlines()
    assert process.returncode == 1 and lines[-1].startswith(
        "JPY_COOKIE_SECRET: expected"
    )
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("name,role\nAda,student\n", "expected a name like ada-l, got 'Ada'"),
        ("name,role\na+b,student\n", r"expected a name like ada-l, got 'a\+b'"),
        ("name,role\nada,teacher\n", "expected one of .*'marker'.*, got 'teacher'"),
        ("ada,student\n", "row 2|expected"),
        (None, "HUB_PEOPLE: expected a table in UTF-8, got .*No such file"),
    ],
)
def test_a_table_of_people_that_is_wrong_is_named(tmp_path, monkeypatch, table, words):
    path = tmp_path / "people.csv"
    if table is not None:
        path.write_text(table + "eve,\n")
    with pytest.raises(SystemExit, match=words):
        configuration(tmp_path, monkeypatch, HUB_PEOPLE=str(path))


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "exchange").write_text("a file where the exchange should be")
    with pytest.raises(SystemExit, match="HUB_FOLDER: expected a folder to write into"):
        configuration(tmp_path, monkeypatch)


def test_nobody_is_root_by_accident(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(SystemExit, match="Expected an ordinary user, or HUB_GRADER"):
        configuration(tmp_path, monkeypatch, HUB_ALLOW_ROOT="")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(SystemExit, match="HUB_GRADER: expected root"):
        configuration(tmp_path, monkeypatch, HUB_GRADER="grader")


def test_with_a_grader_everybody_is_a_user_of_the_system(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    none = dict.fromkeys(("HUB_STUDENT_PASSWORD", "HUB_STAFF_PASSWORD"), "")
    c = configuration(tmp_path, monkeypatch, HUB_GRADER=getpass.getuser(), **none)
    assert c.JupyterHub.authenticator_class == "pam"
    assert c.JupyterHub.spawner_class == "localprocess"
    assert c.JupyterHub.services[0]["user"] == getpass.getuser()
    assert not {"--allow-root"} & {*c.Spawner.cmd, *c.JupyterHub.services[0]["command"]}
    for folder in ("course", "hub"):
        assert (tmp_path / folder).stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "exchange").stat().st_mode & 0o7777 == 0o1777
    assert (tmp_path / "exchange" / COURSE).stat().st_mode & 0o7777 == 0o755


def test_all_listens_on_this_computer_alone(tmp_path, monkeypatch):
    c = configuration(tmp_path, monkeypatch)
    addresses = [c.JupyterHub.bind_url, c.ConfigurableHTTPProxy.api_url]
    addresses += [service["url"] for service in c.JupyterHub.services]
    assert all(address.startswith("http://127.0.0.1:") for address in addresses)
    assert c.JupyterHub.hub_ip == "127.0.0.1"


def test_kubernetes_has_the_same_course(tmp_path, monkeypatch):
    c, hub = configuration(tmp_path, monkeypatch), values()["hub"]
    load_roles = {role.pop("name"): role for role in c.JupyterHub.load_roles}
    assert load_roles == hub["loadRoles"]
    assert c.JupyterHub.load_groups == hub["config"]["JupyterHub"]["load_groups"]
    people = hub["config"]["Authenticator"]["allowed_users"]
    assert c.Authenticator.allowed_users == set(people)
    assert c.JupyterHub.services[0]["name"] == COURSE == next(iter(hub["services"]))
    with (HUB / "people.csv").open() as file:
        roles = [row["role"] for row in csv.DictReader(file)]
    assert roles.count("instructor") == 2 and roles.count("marker") == 1


def test_the_formgrader_of_kubernetes_is_where_the_hub_looks_for_it():
    text = (HUB / "formgrader.yaml").read_text()
    exchange, _, service, deployment = yaml.safe_load_all(text)
    url = values()["hub"]["services"][COURSE]["url"]
    port = service["spec"]["ports"][0]["port"]
    assert url == f"http://{service['metadata']['name']}:{port}"
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    env = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert env["JUPYTERHUB_SERVICE_PREFIX"] == f"/services/{COURSE}/"
    assert env["JUPYTERHUB_CLIENT_ID"] == f"service-{COURSE}"
    assert env["JUPYTERHUB_SERVICE_NAME"] == COURSE
    assert env["JUPYTERHUB_OAUTH_CALLBACK_URL"] == f"/services/{COURSE}/oauth_callback"
    (scope,) = json.loads(env["JUPYTERHUB_OAUTH_ACCESS_SCOPES"])
    assert scope == f"access:services!service={COURSE}"
    (token,) = (e for e in container["env"] if e["name"] == "JUPYTERHUB_API_TOKEN")
    key = token["valueFrom"]["secretKeyRef"]["key"]
    assert key == f"hub.services.{COURSE}.apiToken"
    assert env["JUPYTERHUB_API_TOKEN"] is None, "expected it from a secret"
    (volume,) = values()["singleuser"]["storage"]["extraVolumes"]
    claim = volume["persistentVolumeClaim"]["claimName"]
    assert claim == exchange["metadata"]["name"]


def test_the_chart_has_the_version_of_the_pins():
    pins = (ROOT / "requirements.txt").read_text()
    (hub,) = re.findall(r"^jupyterhub==(\d+\.\d+)", pins, re.M)
    assert f"whose hub is JupyterHub {hub}" in (HUB / "values.yaml").read_text()
