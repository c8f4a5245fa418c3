"""The client: a merchant's account, the tenant everything belongs to."""

from enum import StrEnum


class Plan(StrEnum):
    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ENTERPRISE = "enterprise"


class Role(StrEnum):
    """What a member of a client may do. Keys and webhooks: owner, admin."""

    OWNER = "owner"
    ADMIN = "admin"
    AGENT = "agent"
    VIEWER = "viewer"
