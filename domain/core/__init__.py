"""Shared foundations: ids, money, periods, text, and the bases of errors and Temporal payloads."""
