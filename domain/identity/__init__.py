"""Authentication: sign-in codes, sessions, invitations, OAuth clients and their grants."""
