"""The copilot, which answers members' questions. It reads only data that the user may read, and
does not change any data."""
