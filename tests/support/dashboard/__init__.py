"""People at the pages, in a browser without a script."""
