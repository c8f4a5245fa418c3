"""Users of the pages, in a browser without JavaScript."""
