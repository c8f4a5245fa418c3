"""What asks the copilot, and the words that customers write against it."""
