"""The operator's command line, one module per noun. `cli.py` combines them."""
