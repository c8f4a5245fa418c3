"""The service's SQL. Each repository covers one entity, and takes a connection and a client's
id."""
