"""Use cases: one function each, with its permission check, plan check and audit entry.

A use case takes its unit of work and the actor. The caller (a route, a command, the demo) opens the
unit of work. Work that must follow the commit starts when the caller closes the unit of work.
"""
