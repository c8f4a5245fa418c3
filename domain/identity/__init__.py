"""Authentication: codes, sessions, invitations, OAuth clients and their grants."""
