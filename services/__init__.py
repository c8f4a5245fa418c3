"""Use cases: one function each, with its permission, its plan check and its audit entry.

A use case takes the unit of work that it happens in and the actor who wants it. The edge (a route,
a command, the demo) opens the unit of work, and what the use case left to be done after the commit
starts when the edge closes it.
"""
