"""A class on a JupyterHub: three students, with --hub-all (`make hub-test`) thirty."""

import psutil
import pytest

from tests.homework.classroom import ASSIGNMENT, FULL
from tests.hub.client import COURSE, Refused
from tests.hub.course import Course, has_proof, headline, large_class, small_class, take
from tests.hub.running import SECRETS, need_proxy, running


@pytest.fixture(scope="module")
def course(request, tmp_path_factory):
    """The course, when all have their feedback; the hub still runs."""
    need_proxy()
    folder = tmp_path_factory.mktemp("hub")
    large = request.config.getoption("--hub-all")
    students = large_class() if large else small_class()
    with running(folder, list(students)) as hub:
        late = "hugo-loop" if large else "ben"
        cut_off = "emil-syntax" if large else None
        course = Course(hub, students, late, "ada", cut_off)
        take(course)
        yield course


def sums(course):
    """Return the points that are due, by student; None for those who are not graded."""
    return {
        name: None if due is None else sum((FULL | due).values()) + 2 * has_proof(name)
        for name, (_, due, _) in course.students.items()
    }


def test_every_mark_is_in_the_gradebook(course):
    with course.gradebook() as book:
        submissions = {
            s.student.id: s for s in book.find_assignment(ASSIGNMENT).submissions
        }
        assert set(submissions) == set(course.students)
        for name, due in sums(course).items():
            assert submissions[name].score == (due or 0), name
            assert not submissions[name].needs_manual_grade, name
            (sheet,) = submissions[name].notebooks
            assert sheet.flagged == (due is None), name
            points = {}
            for grade in sheet.grades:
                task = grade.name.split("-marks")[0]
                points[task] = points.get(task, 0) + grade.score
            tasks = FULL | (course.students[name][1] or {})
            for task in FULL if due is not None else ():
                assert points[task] == tasks[task], (name, task)


def test_every_page_is_with_its_student(course):
    for name, due in sums(course).items():
        content, _, word = course.students[name]
        files = content if isinstance(content, dict) else {"a.ipynb": content}
        if not any(file.endswith(".ipynb") for file in files):
            assert course.pages[name] == "", f"expected no page for {name}"
            continue
        total = "not graded" if due is None else f"{due:g} of 20 points"
        assert headline(course.pages[name]) == (name, total)
        assert word.split("'")[0] in course.pages[name], name
        assert ("Say why." in course.pages[name]) == has_proof(name), name


def test_the_later_of_two_submissions_counts(course):
    inbound = next((course.hub.folder / "exchange").glob("*/inbound"))
    for name in filter(None, (course.twice, course.cut_off)):
        assert len(list(inbound.glob(f"{name}+{ASSIGNMENT}+*"))) == 2
    total = sums(course)[course.twice]
    assert total and headline(course.pages[course.twice])[1].startswith(f"{total:g} ")


def test_who_is_late_is_named(course):
    with course.gradebook() as book:
        for submission in book.find_assignment(ASSIGNMENT).submissions:
            late = submission.total_seconds_late > 0
            assert late == (submission.student.id == course.late)
    assert f"Late: {course.late} by " in course.output


def test_a_worker_was_lost_and_nobody_graded_twice(course):
    assert course.output.count(f"{len(course.students)} submissions, ") == 2
    rows = (course.folder / "marks" / ASSIGNMENT / "marks.csv").read_text("utf-8-sig")
    assert len(rows.splitlines()) == len(course.students) + 1


def test_nobody_sees_anothers_work_through_the_hub(course):
    """What one user of the system can do besides: the page for teachers."""
    one, other = sorted(course.students)[:2]
    others, own = course.hub.person(other), course.hub.person(one)
    others.start()
    own.start()
    work = f"{ASSIGNMENT}/feedback"
    assert others.json(f"/user/{other}/api/contents/{work}")["type"] == "directory"
    for path in (f"api/contents/{work}", f"files/{work}", "lab", "assignments"):
        with pytest.raises(Refused) as answer:
            own.ask(f"/user/{other}/{path}")
        assert answer.value.code == 403, path
    for path in (f"/services/{COURSE}/formgrader/api/students", "/hub/api/users"):
        with pytest.raises(Refused) as answer:
            own.ask(path)
        assert answer.value.code == 403, path


def test_students_see_the_panel_and_staff_the_formgrader(course):
    student, marker = course.hub.person("ada"), course.hub.person("mia")
    student.start()
    page = student.ask("/user/ada/lab").decode()
    assert '"@jupyter/nbgrader:formgrader"' in page  # among what is disabled
    assert '"@jupyter/nbgrader"' not in page.partition("disabledExtensions")[2][:300]
    graded = [row["student"] for row in marker.formgrader(f"submissions/{ASSIGNMENT}")]
    assert set(graded) == set(course.students)


def test_nothing_listens_beyond_this_computer(course):
    processes = [course.hub.process, *course.hub.process.children(recursive=True)]
    sockets = [c for p in processes for c in p.net_connections()]
    heard = {c.laddr.ip for c in sockets if c.status == psutil.CONN_LISTEN}
    assert heard == {"127.0.0.1"}


def test_servers_of_students_know_no_secret_of_the_hub(course):
    student = course.hub.person("ada")
    student.start()
    variables = course.hub.server("ada").environ()
    assert "JUPYTERHUB_API_TOKEN" in variables, "expected its own, which reaches itself"
    assert not {*SECRETS, "CONFIGPROXY_AUTH_TOKEN"} & variables.keys()
    assert not set(SECRETS.values()) & set(variables.values())
