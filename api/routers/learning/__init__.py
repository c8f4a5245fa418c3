"""Routes of corrections and labelled examples."""
