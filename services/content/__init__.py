"""Use cases for a client's templates and knowledge."""
