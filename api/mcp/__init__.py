"""The MCP server: tools, prompts and resources of a client's account for AI clients."""
