"""Routes through which customers rate answers."""
