"""The benchmark: our gateway beside other designs, and on a full database beside an empty one.

Times depend on the machine; only the ratios of one run mean something.
"""
