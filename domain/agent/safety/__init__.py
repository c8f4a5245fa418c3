"""Safety: detect prompt injections, and sensitive matters, which always go to a human."""
