"""The whole stack on one machine: real PostgreSQL, real Temporal and a mail server that only stores
emails, all installed by pip."""
