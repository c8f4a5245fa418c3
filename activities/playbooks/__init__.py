"""Activities that change playbooks."""
