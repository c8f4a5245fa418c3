"""The client: a merchant's account, the tenant everything belongs to."""

from enum import StrEnum


class Plan(StrEnum):
    FREE = "free"
    STARTER = "starter"
    PRO = "pro"
    ENTERPRISE = "enterprise"


class Role(StrEnum):
    """What a member of a client may do. Source: decisions.md, "Accounts, keys, tokens"."""

    OWNER = "owner"
    ADMIN = "admin"
    AGENT = "agent"
    VIEWER = "viewer"
