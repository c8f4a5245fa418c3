"""Commands for operators, one module per domain. `cli.py` combines them."""
