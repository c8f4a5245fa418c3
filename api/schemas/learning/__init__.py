"""Dashboard requests and responses about corrections and labelled examples."""
