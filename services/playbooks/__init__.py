"""What people do with a client's playbooks."""
