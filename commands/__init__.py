"""The operator's command line, one noun a file. `cli.py` puts them together."""
