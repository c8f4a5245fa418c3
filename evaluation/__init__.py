"""The evaluation of a brain on messages written by hand, which were not used to build any brain.

`python -m evaluation` or `make eval` runs it. docs/evaluation.md describes the measurements and the
labels. The service does not use this package.
"""
