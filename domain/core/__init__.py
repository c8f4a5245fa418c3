"""Code that all domains share: ids, money, periods, text, and the base classes of errors and
Temporal payloads."""
