"""The audit log: who changed what, and from which network."""
