"""All tools of the copilot, in the order in which they are passed to a language model."""

from typing import Final

from services.copilot.copilot_service import AnyTool
from services.copilot.tools.analytics_tool import READ_CHURN, READ_METRICS
from services.copilot.tools.audit_tool import READ_AUDIT
from services.copilot.tools.content_tool import SEARCH_CONTENT
from services.copilot.tools.content_uses_tool import READ_CONTENT_USES
from services.copilot.tools.conversations_tool import FIND_CONVERSATIONS, READ_CONVERSATION
from services.copilot.tools.documents_tool import SEARCH_DOCUMENTS
from services.copilot.tools.failed_runs_tool import READ_FAILED_RUNS
from services.copilot.tools.gaps_tool import READ_GAPS
from services.copilot.tools.inbox_tool import READ_INBOX
from services.copilot.tools.integrations_tool import READ_INTEGRATIONS
from services.copilot.tools.keys_tool import READ_KEYS
from services.copilot.tools.members_tool import READ_MEMBERS
from services.copilot.tools.model_costs_tool import READ_MODEL_COSTS
from services.copilot.tools.overview_tool import READ_OVERVIEW
from services.copilot.tools.playbooks_tool import READ_PLAYBOOKS
from services.copilot.tools.policy_changes_tool import READ_POLICY_CHANGES
from services.copilot.tools.refunds_tool import READ_REFUNDS
from services.copilot.tools.reviews_tool import LIST_REVIEWS
from services.copilot.tools.runs_tool import READ_RUN, RUNS_OF_ORDER
from services.copilot.tools.unhappy_tool import READ_UNHAPPY
from services.copilot.tools.usage_tool import READ_USAGE
from services.copilot.tools.webhooks_tool import READ_WEBHOOKS

COPILOT_TOOLS: Final[tuple[AnyTool, ...]] = (
    SEARCH_DOCUMENTS,
    SEARCH_CONTENT,
    FIND_CONVERSATIONS,
    READ_CONVERSATION,
    READ_RUN,
    RUNS_OF_ORDER,
    READ_FAILED_RUNS,
    READ_INBOX,
    LIST_REVIEWS,
    READ_OVERVIEW,
    READ_REFUNDS,
    READ_UNHAPPY,
    READ_USAGE,
    READ_MODEL_COSTS,
    READ_METRICS,
    READ_CHURN,
    READ_GAPS,
    READ_WEBHOOKS,
    READ_INTEGRATIONS,
    READ_KEYS,
    READ_MEMBERS,
    READ_PLAYBOOKS,
    READ_POLICY_CHANGES,
    READ_CONTENT_USES,
    READ_AUDIT,
)
