"""What visitors and merchants do with the chat widget."""
