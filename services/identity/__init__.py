"""Use cases of sign-in, sessions, invitations and OAuth."""
