"""The tags of the OpenAPI document, in reading order."""

from typing import Any, Final

TAGS: Final[dict[str, str]] = {
    "gateway": "Send an event, and get the agent's answer.",
    "usage": "Read the usage of a month, and its history.",
    "exports": "Download all data of a client.",
    "runs": "Read what the agent did with each event, and why.",
    "conversations": "Read conversations, answer in them and organize them.",
    "attachments": "Download files that customers sent.",
    "customers": "Find customers, and read what is stored about them.",
    "inbox": "List the tickets that are waiting for a person, and change several at once.",
    "inbox_views": "Save filters of the inbox.",
    "reviews": "Decide about drafts and plans that are waiting for a person.",
    "corrections": "Learn from edited and rejected reviews.",
    "labelled_examples": "Read messages that reviewers have labelled.",
    "playbooks": "Manage the rules by which the agent works.",
    "playbook_versions": "Read, compare and restore versions of a playbook.",
    "cases": "Manage test conversations with expected outcomes.",
    "case_runs": "Run the saved cases.",
    "content_previews": "Test a change of content on the saved cases.",
    "simulator": "Simulate the agent without side effects.",
    "replays": "Replay past events with another playbook or content.",
    "templates": "Manage templates of answers.",
    "knowledge": "Manage knowledge entries.",
    "knowledge_gaps": "Read questions that the agent could not answer.",
    "suggestions": "Decide about content from AI assistants and websites.",
    "site_imports": "Import knowledge from websites and connected help centers.",
    "copilot": "Ask the copilot about a client's data.",
    "webhooks": "Manage the webhooks that receive a client's events.",
    "deliveries": "Read and resend deliveries of a webhook.",
    "webhook_events": "Read the schemas of webhook events.",
    "integrations": "Connect shops and helpdesks.",
    "inbound_endpoints": "Manage the addresses to which platforms send webhooks.",
    "inbound": "Read and reprocess webhooks received from platforms.",
    "inbound_webhooks": "Receive webhooks. Only platforms call these operations.",
    "polls": "Read the polling status of connected platforms.",
    "mail_sender": "Manage the sender of a client's emails.",
    "widget": "Operations of the chat widget on a shop's site.",
    "widget_settings": "Manage the chat widget and its key.",
    "metrics": "Read daily metrics.",
    "insight": "Read the insight report.",
    "churn": "Read which customers are likely to leave.",
    "settings": "Read and change a client's settings.",
    "business_hours": "Read and change a client's business hours.",
    "automation": "Stop and resume all automatic answers and actions.",
    "loosenings": "Decide about changes that loosen a protection.",
    "keys": "Manage API keys.",
    "members": "Manage a client's members.",
    "invitations": "Invite members.",
    "received_invitations": "Accept or decline invitations.",
    "plan": "Read and change a client's plan.",
    "credits": "Buy credits, and read the ledger.",
    "checkouts": "Read the status of a checkout.",
    "payments": "Receive payment events. Only the payment provider calls this operation.",
    "audit": "Read the audit log.",
    "data_requests": "Answer customers' requests for their data.",
    "auth": "Sign up, sign in and sign out.",
    "oauth": "OAuth endpoints for MCP clients (RFC 6749, 7009 and 7591).",
    "sessions": "List and end a user's sessions.",
    "me": "Read the signed-in user.",
    "notifications": "Choose which emails you receive about tickets.",
    "clients": "List and leave the user's clients.",
}
"""Each tag with its description. A tag is the noun of its operations' ids."""


def tags_of(operations: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return the tags of the operations. Raises KeyError if a tag has no description."""
    used = {tag for operation in operations for tag in operation["tags"]}
    if unknown := used - TAGS.keys():
        raise KeyError(f"tags without a description in api/openapi_tags.py: {sorted(unknown)}")
    return [{"name": tag, "description": text} for tag, text in TAGS.items() if tag in used]
