"""The gain of a client's own head, measured on the tickets of an invented shop."""
