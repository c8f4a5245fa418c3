"""The copilot's adapters: language models that call tools, and the product's documents."""
