"""The audit log: the actor of each change, and the actor's IP network."""
