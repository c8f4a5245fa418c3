"""The benchmark. It compares our gateway with other designs, and a full database with an empty one.
Absolute times depend on the machine, so only ratios within one run are meaningful."""
