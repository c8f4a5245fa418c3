"""The steps of a run. One class per file, kept thin: load, call the domain, store.

Every activity runs at least once; its docstring names the key that makes a repetition harmless.
"""
