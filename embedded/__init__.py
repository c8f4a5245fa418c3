"""The whole stack on one machine: real PostgreSQL, real Temporal and a mail server that only stores
mails, all installed by pip."""
