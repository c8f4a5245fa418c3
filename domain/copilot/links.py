"""Build the links in the copilot's citations from a record's kind and id."""

from typing import Final

from domain.copilot.answer import CitedKind, CitedRecord
from domain.core.plain_text import clean_line

_TITLE_CHARS: Final = 120

# Page paths, relative to the dashboard's URL. A path without `{id}` shows a whole list.
_PAGES: Final = {
    CitedKind.RUN: "/runs/{id}",
    CitedKind.REVIEW: "/reviews/{id}",
    CitedKind.CONVERSATION: "/conversations/{id}",
    CitedKind.KNOWLEDGE: "/knowledge/{id}",
    CitedKind.TEMPLATE: "/templates/{id}",
    CitedKind.PLAYBOOK: "/playbooks/{id}",
    CitedKind.WEBHOOK: "/webhooks/{id}",
    CitedKind.INTEGRATION: "/integrations/{id}",
    CitedKind.KEY: "/keys",
    CitedKind.MEMBER: "/members",
    CitedKind.AUDIT: "/audit",
    CitedKind.USAGE: "/usage",
    CitedKind.CHURN: "/metrics/churn",
    CitedKind.GAP: "/knowledge/gaps",
    CitedKind.RUNS: "/runs",
    CitedKind.FAILED_RUNS: "/runs?status=failed",
    CitedKind.REVIEWS: "/reviews",
    CitedKind.UNHAPPY: "/conversations?mood=unhappy",
    CitedKind.ARTICLES: "/knowledge",
    CitedKind.VERSIONS: "/playbooks/{id}/versions",
}


def cited(kind: CitedKind, record_id: str, title: str, dashboard_url: str) -> CitedRecord:
    """Return a citation of a record. A document's `record_id` is its page and heading. The id of
    metrics is a range of days, such as `2026-11-01/2026-11-30`."""
    if kind is CitedKind.DOCUMENT:
        url = record_id
    elif kind is CitedKind.METRICS:
        first, _, last = record_id.partition("/")
        url = f"{dashboard_url}/metrics?from={first}&to={last}"
    else:
        url = dashboard_url + _PAGES[kind].format(id=record_id)
    return CitedRecord(kind=kind, id=record_id, title=clean_line(title, _TITLE_CHARS), url=url)
