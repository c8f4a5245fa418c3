"""The HTTP API. It authenticates callers, admits events, starts runs, waits for their outcome and
responds."""
