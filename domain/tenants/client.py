"""A client: a merchant's account, and the tenant that owns all of the merchant's data."""

from enum import StrEnum


class Plan(StrEnum):
    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ENTERPRISE = "enterprise"


class Role(StrEnum):
    """The role of a client member. Owners and admins manage keys and webhooks."""

    OWNER = "owner"
    ADMIN = "admin"
    AGENT = "agent"
    VIEWER = "viewer"
