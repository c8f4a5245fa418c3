"""Learning from people's corrections: the correction queue, labelled examples, thresholds and
shadow mode."""
