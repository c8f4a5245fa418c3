"""Print the addresses of the open demo shop, and commands to paste."""

import json
import secrets
import shlex
from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.table import Table

from demo.content import BRAND, OWNER
from demo.hub import DemoHub
from demo.opening import OpenShop
from demo.platforms import SUPPORT
from domain.identity.sign_in_link import LINK_PATH, TOKEN_BYTES
from embedded.data_folder import StackInfo

GATEWAY: Final = "/api/engine/gateway"
_MESSAGE_ID: Final = "MESSAGE_ID"


def show_addresses(opened: OpenShop, stack: StackInfo, out: Console) -> None:
    """Print addresses and keys to paste into other programs."""
    table = Table(title=f"{BRAND} is open", title_justify="left", show_header=False, box=None)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("API", f"{stack.api_url}{GATEWAY}")
    table.add_row("API docs", f"{stack.api_url}/docs")
    table.add_row("guide", f"{stack.api_url}/docs/guide/")
    if stack.ui_url:
        table.add_row("Temporal UI", f"{stack.ui_url}/namespaces/default/workflows")
    table.add_row("client_id", opened.shop.client_id)
    table.add_row("key", opened.shop.key)
    table.add_row("webhook", opened.shop.webhook.id)
    table.add_row("helpdesk", opened.desk.url)
    table.add_row("owner", OWNER)
    out.print(table)
    for line in (*platform_lines(opened.hub, stack.api_url), *_lines(opened, stack)):
        out.print(line, soft_wrap=True, highlight=False, markup=False)


async def show_entry(opened: OpenShop, stack: StackInfo, out: Console) -> None:
    """Print the URL that users open. It is a one-time link that signs a user in as the shop's
    owner."""
    token = await opened.office.sign_in_link(secrets.token_bytes(TOKEN_BYTES))
    begin = f"open {stack.api_url}{LINK_PATH}/{token}"
    out.print(begin, soft_wrap=True, highlight=False, markup=False)


def platform_lines(hub: DemoHub, api_url: str) -> Iterator[str]:
    """Yield the webhook address of each platform, and a command that sends an email to one of them.

    The lines are not truncated, because users paste them.
    """
    for name, address in hub.addresses():
        signed = f", signed with {address.secret}" if address.secret else ""
        yield f"from {name} to {api_url}{address.path}{signed}"
    mail = {
        "MessageID": _MESSAGE_ID,
        "From": "you@example.com",
        "To": SUPPORT,
        "Subject": "Livraison",
        "TextBody": "Combien coûte la livraison express ?",
    }
    body = shlex.quote(json.dumps(mail, ensure_ascii=False))
    # The timestamp gives each email its own Message-ID, so that a repeated command is not treated
    # as a duplicate.
    body = body.replace(_MESSAGE_ID, "mail-'\"$(date +%s)\"'")
    yield f"curl -s {api_url}{hub.postmark.path} -H 'Content-Type: application/json' -d {body}"


def _lines(opened: OpenShop, stack: StackInfo) -> Iterator[str]:
    yield opened.office.line("token", "--user", OWNER)
    yield opened.office.line("webhook", "deliveries", opened.shop.webhook.id)
    example = {
        "client_id": opened.shop.client_id,
        "event_type": "shopify.ticket.created",
        "customer_email": "you@example.com",
        "message": "Combien coûte la livraison express ?",
    }
    yield (
        f"curl -s {stack.api_url}{GATEWAY} -H 'Authorization: Bearer {opened.shop.key}' "
        f"-H 'Content-Type: application/json' "
        f"-d {shlex.quote(json.dumps(example, ensure_ascii=False))}"
    )
    yield f"storefront {opened.widget.origin}"
