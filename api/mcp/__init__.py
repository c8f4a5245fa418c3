"""The MCP server. It gives AI clients tools, prompts and resources for a client's account."""
