"""All SQL. One repository a noun, built with a connection and the tenant that it serves."""
