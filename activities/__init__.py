"""The steps of a run. One class a file, thin: load, ask the domain, store.

Every activity runs at least once; its docstring names the key that makes a repetition harmless.
"""
