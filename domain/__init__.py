"""Business rules without I/O: no clock, no network, no database. Each file covers one concept."""
