"""The copilot's outside: language models that call tools, and the product's documents."""
