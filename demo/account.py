"""The last part of the tour: a merchant signs up, and connects an AI client over MCP."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult
from rich.console import Console
from rich.table import Table

from demo.sign_up import FirstAnswer, SignUp

_SHOWN: Final = 300

# The MCP tools that the AI client calls. They return the new account's only conversation, its
# playbooks and its remaining quota.
_ASKED: Final[Mapping[str, dict[str, object]]] = {
    "search_conversations": {},
    "list_playbooks": {},
    "get_usage": {},
}


async def show_new_account(api_url: str, mails: Path, out: Console) -> bool:
    """Sign up over HTTP, then query the account over MCP. Return True if every result was as
    expected."""
    first = await SignUp(api_url, mails).first_answer()
    tool_results = await _read_by_mcp(api_url, first.key)
    out.print(_table(first, tool_results))
    answered = first.answer.get("status") == "completed" and bool(first.answer.get("response"))
    return answered and not any(one.is_error for one in tool_results.values())


async def _read_by_mcp(api_url: str, key: str) -> Mapping[str, CallToolResult]:
    """Call each MCP tool with the protocol's official client, authenticated with the API key.
    Return the results, keyed by tool name."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        transport = streamable_http_client(f"{api_url}/api/mcp", http_client=http)
        async with Client(transport) as client:
            return {name: await client.call_tool(name, sent) for name, sent in _ASKED.items()}


def _table(first: FirstAnswer, tool_results: Mapping[str, CallToolResult]) -> Table:
    table = Table(
        title=f"A merchant signs up: {len(first.calls)} calls, {first.seconds:.1f} s",
        title_justify="left",
        title_style="bold",
        show_header=False,
    )
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("address", first.address)
    for call in first.calls:
        table.add_row("call", call)
    table.add_row("ticket", f"{first.answer.get('status')}: {first.answer.get('response', '')}")
    for name, result in tool_results.items():
        text = str(result.structured_content or result.content)
        short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        table.add_row(f"MCP {name}", short.replace("[", r"\["))
    return table
