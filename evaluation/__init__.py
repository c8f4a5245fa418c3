"""The evaluation of a brain on messages written by hand, which no brain was made from.

`python -m evaluation` or `make eval` runs it. docs/evaluation.md describes the measurements and the
labels. Nothing here runs in the service.
"""
