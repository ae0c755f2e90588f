"""Make assignments for students out of a teacher's, and mark what they hand in.

The grader is handed paths and knows nothing else of this repository:
``python -m grader SUBMISSIONS ASSIGNMENT`` marks a folder of submissions,
``python -m grader.release ASSIGNMENTS ZIPS REQUIREMENTS`` makes the zips for students.

The way of a submission, in order:

__main__         read the command: which submissions, which assignment, here or on a cluster
assignment       read the teacher's notebook, with the programs inserted that its cells run
batch            list the students with their files; ``Grading.grade``: grade one, or read it
jobs             wrap one step for one student as a job, for one of two runners:
processes        .. on this computer, in a process that ends with all that it has started
cluster, worker  .. on others, with Dask, if a teacher asks for it
nbgrader_steps   ``grade``: the steps that follow, in that process, with nbgrader
repair           ``load``: choose the one notebook, match its cells with the assignment's, mend
files_and_zips   .. from the student's files, or from zips if none is there (``unpacked``)
text             .. in the encoding in which words occur that it must contain
reading          .. with the reason if a file is no notebook
unnamed_cells    .. with cells that have lost their names identified by the texts around them
pictures         attach the pictures of Markdown cells, with a substitute for missing ones
execute          run the notebook to its end, even if cells end Python
limits           .. within these limits of time, memory and output
installers       .. with substitutes for pip, conda and the like, which install nothing
isolation        .. with a separate namespace for the test cells
settings         .. with modes, defaults and random states restored for the tests
nbgrader_steps   write result.json: points by task, answers to mark by hand, remarks
marks            make the row of marks (``Sheet.row``); read and write marks.csv, by_hand.csv
feedback_page    make the student's page: marks and remarks above nbgrader's page
sanitise         .. on which nothing of a student's Markdown runs
terminal         print progress, the table of marks and a summary

Before it, for students, and beside it:

release          zip the assignments that have changed
self_contained   insert programs into a notebook as a preprocessor of nbgrader
hub_collect      collect what a hub's students have submitted, without links, forged names
hub_gradebook    take marks from nbgrader's gradebook, and enter them there
nbgrader_config  configure nbgrader
edition          name the versions that all computers of a cluster have to share
remarks          word the remarks
atomic           write files whole or not at all

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
