"""The copilot answers members' questions. It reads only what its user may read, and changes
nothing."""
