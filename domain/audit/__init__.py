"""The audit log: who changed what, from where."""
