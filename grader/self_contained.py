"""The first step of a release: the notebook gets whatever it runs from other files."""

from pathlib import Path

from nbgrader.preprocessors.base import NbGraderPreprocessor

from grader.assignment import with_programs


class SelfContained(NbGraderPreprocessor):
    """nbgrader's form of ``grader.assignment.with_programs``."""

    def preprocess(self, nb, resources):
        """Change ``nb``; nbconvert says in ``resources`` in which folder it lies."""
        return with_programs(nb, Path(resources["metadata"]["path"])), resources
