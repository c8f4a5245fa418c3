"""The stack on one machine: real PostgreSQL, real Temporal and a mail sink, all installed by
pip."""
