"""The stack on one machine: real PostgreSQL, real Temporal and a mail sink, installed by pip."""
