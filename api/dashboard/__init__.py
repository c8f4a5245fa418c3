"""Pages for people, rendered by the server, below `/app`."""
