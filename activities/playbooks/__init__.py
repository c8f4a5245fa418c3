"""Steps that change playbooks."""
