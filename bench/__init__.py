"""The benchmark compares our gateway with other designs, and a full database with an empty one.
Times depend on the machine, so only ratios within a run are meaningful."""
