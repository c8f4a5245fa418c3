"""What people's corrections teach: the queue, labelled examples, thresholds, shadow mode."""
