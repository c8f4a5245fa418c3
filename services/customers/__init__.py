"""Customer use cases: list, search and show customers."""
