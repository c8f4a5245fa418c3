"""What every noun builds on: ids, money, periods, text, the base of errors and of payloads."""
