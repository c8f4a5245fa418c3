"""Use cases for a client's playbooks."""
