"""The evaluation of a brain on hand-written messages that no brain was built with.

Run `python -m evaluation` or `make eval`. docs/evaluation.md describes the measurements and labels.
The service does not use this package.
"""
