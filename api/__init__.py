"""The HTTP API: it authenticates, admits events, starts runs, waits for them and answers."""
