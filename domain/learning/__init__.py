"""Learning from human corrections: the correction queue, labelled examples, thresholds and shadow
mode."""
