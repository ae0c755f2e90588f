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

nbgrader alone runs all submissions in turn, in one process and with one gradebook. A cell
that ends its kernel then costs the submission all of its marks, a cell that rebinds
``np.allclose`` decides the tests, and a damaged notebook is an error. The modules above
prevent this, and nbgrader does the rest.

Alternatives. *Containers* (Docker, Podman) protect the teacher's files from a hostile
notebook, which this package does not; the page for teachers recommends running all of it in
one. But they need an engine, which a teacher's computer may lack and a university may not
allow, and an image that somebody maintains; and endless loops, rebound names and damaged
notebooks are the same inside one. *Otter-Grader* (we read 7.0.0) runs each submission in a
Docker container or, with ``otter run``, without isolation. In both cases the tests run in
the kernel of the student's code, and the time limit ends the whole container, not a cell.
Its tests have their own format: the assignments would have to be rewritten, and nbgrader's
tools for large courses could no longer read them.
"""
