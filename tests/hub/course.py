"""A course on the hub, from the release of an assignment to the feedback on it."""

import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from tests.homework.assignments import FOLDERS, answered, answers, released
from tests.homework.classroom import (
    ASSIGNMENT,
    a_class,
    busy_worker,
    impatient_grading,
    stamps,
)
from tests.hub.client import Person
from tests.hub.running import Hub

AT_A_TIME = 3  # servers of students, of 140 MB each
NOTEBOOK = f"{ASSIGNMENT}.ipynb"
PROOF = {"homogeneous": "Since each layer is homogeneous of degree one, so is the net."}


@dataclass
class Course:
    """What happened to a class on a hub."""

    hub: Hub
    students: dict  # what each hands in, marks due, a word of the remark: see a_class
    late: str
    twice: str
    cut_off: str | None = None  # whose server dies while it submits
    output: str = ""  # of the grading
    pages: dict[str, str] = field(default_factory=dict)  # feedback, by student

    @property
    def folder(self) -> Path:
        """nbgrader's course folder."""
        return self.hub.folder / "course"

    def gradebook(self) -> Gradebook:
        """Return the gradebook that the formgrader shows."""
        return Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}")


def small_class() -> dict:
    """Return a class of three: one right, one whose cell never ends, one damaged file."""
    students = a_class(released(ASSIGNMENT))
    names = {"ada": "ada", "ben": "hugo-loop", "chen": "paul-half"}
    return proved({name: students[key] for name, key in names.items()})


def large_class() -> dict:
    """Return a class of thirty: all that a grader does not like, and a wrong answer a task."""
    students = a_class(released(ASSIGNMENT))
    simple = {"张三": "zhang", "=1+1 [x]": "utf-16"}  # the hub's names are simple
    students = {
        simple.get(name, name): entry
        for name, entry in students.items()
        if not name.endswith("-link")
    }
    # The hub's folder has a file with the time in it, so that it is not empty.
    students["rosa-nothing"] = ({}, None, "no notebook")
    right, wrong = answers(ASSIGNMENT)
    for task, entries in wrong.items():
        _, code, points = entries[-1]
        notebook = answered(released(ASSIGNMENT), right | {task: code})
        content = nbformat.writes(notebook).encode()
        students[f"wrong-{task}"] = (content, {task: points}, "")
    while len(students) < 30:
        students[f"right-{len(students)}"] = students["ada"]
    return proved(students)


def proved(students: dict) -> dict:
    """Return the class, whose best have written a proof, too, which somebody has to mark."""
    for name, (content, due, word) in students.items():
        if has_proof(name):
            notebook = nbformat.reads(content.decode(), 4)
            content = nbformat.writes(answered(notebook, PROOF)).encode()
            students[name] = content, due, word
    return students


def has_proof(name: str) -> bool:
    """Return whether this student has proved something."""
    return name == "ada" or name.startswith("right-")


def take(course: Course) -> None:
    """The whole course: what its people do, one after the other."""
    lena = course.hub.person("lena")
    for step in ("assign", "release"):
        reply = lena.formgrader(f"assignment/{ASSIGNMENT}/{step}", "POST")
        assert reply["success"], reply
    on_time = [name for name in course.students if name != course.late]
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(lambda name: hand_in(course, name), on_time))
    due = datetime.now(UTC) + timedelta(seconds=1)
    date = {"duedate_notimezone": f"{due:%Y-%m-%d %H:%M:%S}", "duedate_timezone": "UTC"}
    lena.formgrader(f"assignment/{ASSIGNMENT}", "PUT", date)
    time.sleep(2)
    hand_in(course, course.late)
    reply = lena.formgrader(f"assignment/{ASSIGNMENT}/collect", "POST")
    assert reply["success"], reply
    course.output = grade(course, kill=True)
    mark_by_hand(course)
    course.output += grade(course)
    reply = lena.formgrader(f"assignment/{ASSIGNMENT}/release_feedback", "POST")
    assert reply["success"], reply
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(lambda name: fetch_feedback(course, name), course.students))


def hand_in(course: Course, name: str) -> None:
    """Fetch, work and submit as a student does, in a server that the hub starts and stops."""
    student = course.hub.person(name)
    student.start()
    student.panel("fetch", ASSIGNMENT)
    content = course.students[name][0]
    if name == course.twice:
        submit(student)
    files = content if isinstance(content, dict) else {NOTEBOOK: content}
    if NOTEBOOK not in files:
        student.remove(f"{ASSIGNMENT}/{NOTEBOOK}")
    for file, data in files.items():
        student.save(f"{ASSIGNMENT}/{file}", data)
    if name == course.cut_off:
        die_submitting(course, student)
        student.start()
    submit(student)
    leave(course, student)


def leave(course: Course, student: Person) -> None:
    """Stop this server where not all servers can run at a time."""
    if len(course.students) > AT_A_TIME:
        student.stop()


def submit(student: Person) -> None:
    """Press the button, and see the submission in the panel."""
    answer = student.panel("submit", ASSIGNMENT)
    assert isinstance(answer, list), answer
    assert answer[-1]["status"] == "submitted", answer


def die_submitting(course: Course, student: Person) -> None:
    """Kill the server once the submission has begun to arrive; it has a thousand files."""
    home = course.hub.folder / "homes" / student.name / ASSIGNMENT
    for number in range(2000):
        (home / f"{number}.txt").write_text("x")
    inbound = next((course.hub.folder / "exchange").glob("*/inbound"))
    server = course.hub.server(student.name)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(student.panel, "submit", ASSIGNMENT)
        while not (begun := list(inbound.glob(f"{student.name}+*"))):
            assert not future.done(), "expected a submission on its way"
        server.kill()
        assert future.exception(), "expected the hub to say that the server is gone"
    while course.hub.person(student.name).json(f"/hub/api/users/{student.name}")[
        "server"
    ]:
        time.sleep(1)  # the hub looks after its servers every half minute
    assert not (begun[0] / "timestamp.txt").exists(), "expected half of a submission"
    for path in home.glob("*.txt"):
        path.unlink()


def grade(course: Course, kill: bool = False) -> str:
    """Return the command of `make grade COURSE=…`, on a cluster if a worker is to be killed."""
    folder = course.hub.folder / "grading"
    folder.mkdir(exist_ok=True)
    call = impatient_grading(folder, "", FOLDERS[ASSIGNMENT])
    call["args"] += [
        "--course",
        str(course.folder),
        "--cluster",
        "local",
        "--jobs",
        "2",
    ]
    run = subprocess.Popen(**call)
    finished = course.folder / "marks" / ASSIGNMENT / "graded"
    while kill and len(stamps(finished)) < len(course.students) // 2:
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.1)
    if kill:
        busy_worker(run).kill()
    output = run.communicate(timeout=900)[0]
    assert run.returncode == 0, output
    return output


def mark_by_hand(course: Course) -> None:
    """Give two points for each proof, in the formgrader, as the marker does."""
    mia = course.hub.person("mia")
    for row in mia.formgrader(f"submissions/{ASSIGNMENT}"):
        if row["needs_manual_grade"]:
            address = f"submitted_notebooks/{ASSIGNMENT}/{ASSIGNMENT}"
            submissions = mia.formgrader(address)
            (sheet,) = [r["id"] for r in submissions if r["student"] == row["student"]]
            for grade in mia.formgrader(f"grades?submission_id={sheet}"):
                if grade["name"] in PROOF:
                    points = {"manual_score": 2, "extra_credit": None}
                    mia.formgrader(f"grade/{grade['id']}", "PUT", points)
            for comment in mia.formgrader(f"comments?submission_id={sheet}"):
                if comment["name"] in PROOF:
                    remark = {"manual_comment": "Say why."}
                    mia.formgrader(f"comment/{comment['id']}", "PUT", remark)


def fetch_feedback(course: Course, name: str) -> None:
    """Fetch the feedback of the panel's last submission and read it, as a student does."""
    student = course.hub.person(name)
    student.start()
    reply = student.panel("fetch_feedback", ASSIGNMENT)
    (own,) = [entry for entry in reply if entry["status"] == "submitted"]
    last = own["submissions"][-1]
    texts = [
        student.file(f"{last['local_feedback_path']}/{notebook['notebook_id']}.html")
        for notebook in last["notebooks"]
    ]
    course.pages[name] = texts[0] if texts else ""
    assert len(set(texts)) <= 1, "expected the same page for each notebook"
    leave(course, student)


def headline(page: str) -> tuple[str, str]:
    """Return the student and the sum of a page of feedback."""
    match = re.search(rf"<h1>{ASSIGNMENT}: (.*?)</h1><p><b>(.*?)</b>", page)
    return (match[1], match[2]) if match else ("", "")
