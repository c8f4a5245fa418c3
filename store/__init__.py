"""All SQL. Each repository covers one entity and is built with a connection and a tenant."""
