"""What people do with a client's templates and knowledge."""
