"""Safety: detect prompt injections, and matters that always go to a human."""
