"""Learning from people's corrections: the queue, labelled examples, thresholds and shadow mode."""
