"""The benchmark: our gateway beside the naive design and the floor, in one run.

Times depend on the machine; only the ratios of one run mean something.
"""
