"""How good a brain is, on messages written by hand that no brain was made from.

`python -m evaluation`, or `make eval`; docs/evaluation.md says what is measured and how it is
labelled. Nothing here runs in the service.
"""
