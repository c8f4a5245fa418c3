"""Routes with which customers rate answers."""
