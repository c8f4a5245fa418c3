"""Rules without I/O: no clock, no network, no database. One noun a file."""
