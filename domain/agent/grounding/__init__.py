"""Whether an answer rests on something."""
