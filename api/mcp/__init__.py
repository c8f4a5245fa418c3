"""The MCP server: what AI clients may ask of a client's account."""
