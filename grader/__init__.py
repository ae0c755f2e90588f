"""Make assignments for students out of a teacher's, and mark what they hand in.

The grader is handed paths and knows nothing else of this repository:
``python -m grader SUBMISSIONS ASSIGNMENT`` marks a folder of submissions,
``python -m grader.release ASSIGNMENTS ZIPS REQUIREMENTS`` makes the zips for students.

__main__         the command line of grading
batch            a folder of submissions: whose each file is, what is graded already
release          zips for students, of the assignments that have changed
assignment       a teacher's notebook, with the programs inserted that its cells run
self_contained   the same, as a preprocessor for nbgrader
nbgrader_steps   release, autograde and feedback with nbgrader, for one student
repair           the notebook that a student has handed in, its cells matched and repaired
files_and_zips   the files of a student, including those in zips
reading          a notebook read from a file, or the reason why it is none
text             the encoding of a file, inferred from words that it must contain
unnamed_cells    cells that have lost their names, identified by the texts around them
pictures         pictures in Markdown cells, and a substitute where one is missing
limits           what a submission may use: time, memory, output
execute          a notebook run to its end within these limits, even if cells end Python
isolation        a separate namespace for the test cells
settings         modes, defaults and random states, restored for the tests
installers       substitutes for pip, conda and the like, which install nothing
jobs             one step for one student, and the interface of what runs it
processes        a process for each step; whatever it has started ends with it
cluster          the same with Dask on other computers, if a teacher asks for it
worker           what such a worker does
edition          the versions that all computers of a cluster have to share
marks            marks.csv, and by_hand.csv with the points that a teacher types
feedback_page    a student's page: marks and remarks above nbgrader's page
terminal         what the command prints
remarks          words for the column of remarks
atomic           files that are written whole or not at all
hub_gradebook    marks from and to nbgrader's gradebook, for a course on a hub
hub_collect      what a hub's students have submitted, without links and forged names
sanitise         students' Markdown as HTML in which nothing runs
nbgrader_config  nbgrader's settings

nbgrader alone runs all submissions one after the other in one process, with one gradebook.
There a cell that ends its kernel costs the submission all of its marks, a cell that
rebinds ``np.allclose`` decides what the tests find, and a damaged notebook is an error.
The modules above are there for this, and nbgrader does the rest.

What was looked at instead. *Containers* (Docker, Podman) keep a hostile notebook from the
teacher's files, which this package does not; the page for teachers recommends one around
the whole. But they need an engine, which a teacher's computer may lack and a university's
may refuse, and an image that somebody builds and keeps; and inside one, endless loops,
rebound names and damaged notebooks are the same as outside. *Otter-Grader* (7.0.0 was read) runs
each submission in a Docker container or, by ``otter run``, without isolation. In both, the
tests run in the kernel of the student's code, and a limit of time ends the whole container,
not a cell. Its tests have a format of their own: the assignments would have to be written
again, and nbgrader's tools for large courses would read them no more. So the grader stays.
"""
