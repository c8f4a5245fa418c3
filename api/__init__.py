"""HTTP only: authenticate, admit, start the run, wait for it, answer."""
