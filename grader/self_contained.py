"""The first step of a release: insert what the notebook takes from other files."""

from pathlib import Path

from nbgrader.preprocessors.base import NbGraderPreprocessor

from grader.assignment import data_files, self_contained


class SelfContained(NbGraderPreprocessor):
    """nbgrader's form of ``grader.assignment.self_contained``."""

    def preprocess(self, nb, resources):
        """Change ``nb``; nbconvert says in ``resources`` in which folder it lies."""
        folder = Path(resources["metadata"]["path"])
        for path in data_files(folder):  # nbconvert writes them beside the notebook
            resources.setdefault("outputs", {})[path.name] = path.read_bytes()
        return self_contained(nb, folder), resources
