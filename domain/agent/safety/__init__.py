"""Safety: detect prompt injections, and sensitive topics, which always go to a human."""
