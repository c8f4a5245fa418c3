"""Use cases of a client's playbooks."""
