"""The copilot. It reads only what its user may read, and changes nothing."""
