"""Safety: detect prompt injections, and sensitive topics, which always require a human."""
