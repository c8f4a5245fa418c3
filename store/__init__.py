"""All SQL. Each repository covers one entity and takes a connection and a tenant."""
