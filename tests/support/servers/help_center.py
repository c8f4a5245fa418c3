"""The articles of a helpdesk on loopback, as the helpdesks' published APIs return them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.support.servers.http_service import Reply, Request

MISSING: Final = Reply(404, {"error": "RecordNotFound"})
SUBFOLDER_OF: Final = 10
"""The Freshdesk folder that contains all others."""


@dataclass
class HelpArticle:
    """An article. `everyone` is False if only some customers may read it. `translations` are the
    title and content by locale."""

    id: int
    title: str
    html: str
    locale: str = "en-us"
    published: bool = True
    everyone: bool = True
    translations: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def languages(self) -> dict[str, tuple[str, str]]:
        return {self.locale: (self.title, self.html), **self.translations}

    @property
    def slug(self) -> str:
        return f"{self.id}-{self.title.lower().replace(' ', '-')}"


def zendesk_reply(articles: list[HelpArticle], request: Request) -> Reply:
    """Answer a request to Zendesk's Help Center API."""
    path = request.path.removeprefix("/api/v2/help_center/").removesuffix(".json").split("/")
    if path == ["locales"]:
        locales = dict.fromkeys(code for one in articles for code in one.languages)
        return Reply(body={"locales": list(locales), "default_locale": "en-us"})
    found = [one for one in articles if path[0] in one.languages]
    if path[1:] == ["articles"]:
        start, size = int(request.query.get("page[after]", 0)), int(request.query["page[size]"])
        shown = [_zendesk(one, path[0]) for one in found[start : start + size]]
        meta = {"has_more": start + size < len(found), "after_cursor": str(start + size)}
        return Reply(body={"articles": shown, "meta": meta})
    one = _of_id(found, path[-1])
    return MISSING if one is None else Reply(body={"article": _zendesk(one, path[0])})


def _zendesk(one: HelpArticle, locale: str) -> dict[str, Any]:
    title, html = one.languages[locale]
    return {
        "id": one.id,
        "html_url": f"https://acme.zendesk.com/hc/{locale}/articles/{one.slug}",
        "title": title,
        "body": html,
        "locale": locale,
        "draft": not one.published,
        "user_segment_id": None if one.everyone else 7,
        "user_segment_ids": [] if one.everyone else [7],
    }


def intercom_reply(articles: list[HelpArticle], request: Request) -> Reply:
    """Answer a request to Intercom's Articles API."""
    if request.path == "/articles":
        page, size = int(request.query["page"]), int(request.query["per_page"])
        shown = [_intercom(one) for one in articles[size * (page - 1) : size * page]]
        pages = {"type": "pages", "page": page, "total_pages": -(-len(articles) // size)}
        return Reply(body={"type": "list", "data": shown, "pages": pages})
    one = _of_id(articles, request.path.rpartition("/")[2])
    return MISSING if one is None else Reply(body=_intercom(one))


def _intercom(one: HelpArticle) -> dict[str, Any]:
    shown = {locale[:2]: _content(one, locale) for locale in one.languages}
    return {
        "type": "article",
        "id": str(one.id),
        "default_locale": one.locale[:2],
        **shown[one.locale[:2]],
        "translated_content": {"type": "article_translated_content", "de": None, **shown},
    }


def _content(one: HelpArticle, locale: str) -> dict[str, Any]:
    title, html = one.languages[locale]
    url = f"https://intercom.help/acme/{locale[:2]}/articles/{one.slug}"
    state = "published" if one.published else "draft"
    return {
        "title": title, "body": html, "state": state, "url": url if one.everyone else None,
    }  # fmt: skip


def freshdesk_reply(articles: list[HelpArticle], request: Request) -> Reply:
    """Answer a request to Freshdesk's Solutions API. Articles for everyone are in folder 11, and
    the others in folder 12."""
    folder, path = 11, request.path.removeprefix("/api/v2/solutions/").split("/")
    match path:
        case ["categories"]:
            body: object = [{"id": 1, "name": "General"}]
        case ["categories", "1", "folders"]:
            body = [{"id": SUBFOLDER_OF, "visibility": 1, "sub_folders_count": 2}]
        case ["folders", number, "subfolders"] if int(number) == SUBFOLDER_OF:
            body = [
                {"id": folder, "visibility": 1, "sub_folders_count": 0},
                {"id": folder + 1, "visibility": 2, "sub_folders_count": 0},
            ]
        case ["folders", number, "articles"]:
            size, page = int(request.query["per_page"]), int(request.query["page"])
            within = [one for one in articles if int(number) == folder + (not one.everyone)]
            body = [_freshdesk(one) for one in within[size * (page - 1) : size * page]]
        case _:
            found = _of_id(articles, path[-1])
            return MISSING if found is None else Reply(body=_freshdesk(found))
    return Reply(body=body)


def _freshdesk(one: HelpArticle) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "description": one.html,
        "description_text": "text",
        "status": 2 if one.published else 1,
    }


def _of_id(articles: Iterable[HelpArticle], number: str) -> HelpArticle | None:
    return next((one for one in articles if str(one.id) == number), None)
