"""Routes by which customers rate answers."""
