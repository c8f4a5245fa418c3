"""Customer use cases: the list, the search and the page of a customer."""
