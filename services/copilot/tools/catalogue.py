"""All tools, in the order in which a language model is offered them."""

from typing import Final

from services.copilot.desk import AnyTool
from services.copilot.tools.analytics import READ_CHURN, READ_METRICS
from services.copilot.tools.audit import READ_AUDIT
from services.copilot.tools.content import SEARCH_CONTENT
from services.copilot.tools.conversations import FIND_CONVERSATIONS, READ_CONVERSATION
from services.copilot.tools.documents import SEARCH_DOCUMENTS
from services.copilot.tools.integrations import READ_INTEGRATIONS
from services.copilot.tools.keys import READ_KEYS
from services.copilot.tools.members import READ_MEMBERS
from services.copilot.tools.playbooks import READ_PLAYBOOKS
from services.copilot.tools.reviews import LIST_REVIEWS
from services.copilot.tools.runs import READ_RUN, RUNS_OF_ORDER
from services.copilot.tools.usage import READ_USAGE
from services.copilot.tools.webhooks import READ_WEBHOOKS

COPILOT_TOOLS: Final[tuple[AnyTool, ...]] = (
    SEARCH_DOCUMENTS,
    SEARCH_CONTENT,
    FIND_CONVERSATIONS,
    READ_CONVERSATION,
    READ_RUN,
    RUNS_OF_ORDER,
    LIST_REVIEWS,
    READ_USAGE,
    READ_METRICS,
    READ_CHURN,
    READ_WEBHOOKS,
    READ_INTEGRATIONS,
    READ_KEYS,
    READ_MEMBERS,
    READ_PLAYBOOKS,
    READ_AUDIT,
)
