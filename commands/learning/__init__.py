"""Commands for corrections and labelled examples."""
