"""The evaluation of a brain on hand-written messages that were not used to build any brain.

Run it with `python -m evaluation` or `make eval`. docs/evaluation.md describes the measurements and
the labels. The service does not use this package.
"""
