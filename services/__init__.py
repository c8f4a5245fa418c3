"""Use cases: one function each, with its permission check, plan check and audit entry.

A use case receives its unit of work and the actor. The caller (a route, a command, the demo) opens
the unit of work. Closing the unit of work commits it. After the commit, the unit of work starts the
work that the use case has collected, such as workflows and webhook deliveries.
"""
