"""Routes for corrections and labelled examples."""
