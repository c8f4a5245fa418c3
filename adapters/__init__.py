"""The network's other ends, and the machine's clock and chance."""
