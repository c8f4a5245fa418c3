"""Use cases for sign-in, sessions, invitations and OAuth."""
