"""The HTTP API. It authenticates callers, admits events, starts runs, waits for their outcomes and
sends the responses."""
