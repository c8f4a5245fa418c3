"""The kinds of prompt injection that the agent detects."""

from enum import StrEnum


class UnsafeReason(StrEnum):
    """The kind of a prompt injection. The codes are stable, and are stored without the text."""

    OVERRIDES_RULES = "overrides_rules"
    FAKE_MESSAGE = "fake_message"
    ROLE_PLAY = "role_play"
    FALSE_AUTHORITY = "false_authority"
    ASKS_FOR_SECRETS = "asks_for_secrets"
    FAKE_TOOL_CALL = "fake_tool_call"
    SKIPS_REVIEW = "skips_review"
    TAKES_OVER = "takes_over"
    DICTATES = "dictates"
    HIDDEN_TEXT = "hidden_text"
    OBFUSCATED = "obfuscated"
