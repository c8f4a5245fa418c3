"""The MCP server. It offers tools, prompts and resources of a client's account to AI clients."""
