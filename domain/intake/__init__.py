"""The event on its way in: its one shape, mail, order numbers, limits."""
