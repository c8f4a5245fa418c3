"""Commands on corrections and labelled examples."""
