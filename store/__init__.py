"""The SQL of the service. Each repository covers one entity, and takes a connection and the id of a
tenant."""
