"""The SQL of the service. Each repository covers one entity, and takes a connection and a client's
id."""
