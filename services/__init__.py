"""Use cases: one function each, with its permission check, plan check and audit entry.

The caller (a route, a command, the demo) opens the unit of work and passes it with the actor.
Closing it commits, and then starts the collected workflows and webhook deliveries.
"""
