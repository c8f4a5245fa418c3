"""Use cases for learning: corrections and labelled examples."""
