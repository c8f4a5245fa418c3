"""The client: a merchant's account, and the tenant that owns all its data."""

from enum import StrEnum


class Plan(StrEnum):
    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ENTERPRISE = "enterprise"


class Role(StrEnum):
    """The role of a member of a client. Owners and admins manage keys and webhooks."""

    OWNER = "owner"
    ADMIN = "admin"
    AGENT = "agent"
    VIEWER = "viewer"
