"""What a message wants, below the six classes, and whether it wants anything besides."""
