"""Use cases for ratings that customers give to the answers they received."""
