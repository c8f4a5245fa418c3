"""The catalogue of all tools, in the order in which the server lists them."""

from collections.abc import Mapping
from typing import Final

from api.mcp.tool import McpTool
from api.mcp.tools import account, content, conversations, events, reviews, runs

TOOLS: Final[Mapping[str, McpTool]] = {
    one.name: one
    for module in (conversations, runs, reviews, events, content, account)
    for one in module.TOOLS
}
