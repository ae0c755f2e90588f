"""Keep an assignment for the tests of the grader, which stays when the book's change.

``90_sample`` lies as those of ``homework/source`` do; ``answers.py`` holds answers to it, as
``tests/homework/answers`` does to the book's.
"""
