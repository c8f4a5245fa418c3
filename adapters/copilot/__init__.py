"""The copilot's adapters: language models that call tools, and the index of the product's
documents."""
