"""Use cases of learning: corrections and labelled examples."""
