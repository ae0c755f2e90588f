"""Make assignments for students out of a teacher's, and mark what they hand in.

The grader is handed paths and knows nothing else of this repository:
``python -m grader SUBMISSIONS ASSIGNMENT`` marks a folder of submissions,
``python -m grader.release ASSIGNMENTS ZIPS REQUIREMENTS`` makes the zips for students.

__main__         the command line of grading
batch            a folder of submissions: who handed in what, what is graded already
release          zips for students, of the assignments that have changed
assignment       a teacher's notebook, with the programs put in that its cells run
self_contained   the same, as a step of nbgrader's
course           what nbgrader does: release, autograde, write feedback, for one student
submissions      what was handed in, read whatever its state, its cells matched
handed_in        the files of a student, those in a zip among them
reading          a notebook out of a file, or why it is none
text             the encoding of a file, by words that it must hold
places           cells that have lost their names, by the texts around them
pictures         pictures in texts, and what to do where one is missing
limits           what a submission may use: time, memory, output
execute          a notebook run to its end within them, though cells end Python
isolation        a namespace of their own for the test cells
settings         modes, defaults and random numbers, put back for the tests
installers       what answers a submission in place of pip, conda and their like
processes        a process for each submission, and the end of all that it has started
cluster          the same by Dask's workers on other computers, where a teacher asks for it
worker           what such a worker does
report           marks.csv, by_hand.csv, the table, the feedback pages
gradebook        the same from and to nbgrader's gradebook, for a course on a hub
collect          what a hub's students have handed in, without links and others' names
harmless         what students have typed, on pages that others open
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
