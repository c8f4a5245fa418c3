"""A form that a page submits.

Input is never lost. If the session has ended or a rule is violated, the fields are kept as a draft.
The next page is prefilled with this draft. Each rendering of a form takes effect once.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import RedirectResponse, Response

from api.dashboard.flash import Flash, give_flash
from api.dashboard.forms import read_form, read_upload
from api.dashboard.next_page import next_page
from api.dashboard.page import OnPage, Page
from api.dashboard.redirect import PageRedirect
from api.dashboard.session import Visit, check_form, check_origin, sign_in_at, visit_of
from api.dashboard.typed import SEEN, kept_fields, owner_of_form
from api.resources import Resources
from api.route import PathId
from domain.core.errors import InvalidBody
from domain.core.ids import TenantId, parse_ulid
from domain.dashboard.errors import ChangedMeanwhile, NotConfirmed
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import MANAGERS, REVIEWERS
from domain.tenants.client import Role
from domain.tenants.errors import ClientIdMissing
from services.core.unit_of_work import UnitOfWork
from services.dashboard.forms import drop_draft, keep_draft, lead_form, take_form
from store.core.database import WhoseRecord

M = TypeVar("M", bound=BaseModel)

ONCE: Final = "_once"
BACK: Final = "_back"
WHO: Final = "_who"
INTO: Final = "into"
"""Name of the form field that holds the client of a new connection. A user who belongs to several
clients chooses one of them in this field."""


@dataclass(frozen=True, slots=True)
class Post:
    """A submitted form of a client's page. `fields`: all submitted fields, by name. `form`: the
    path that the form was sent to. `back`: the page that contains the form. `once`: the id of the
    form's rendering."""

    page: Page
    fields: Mapping[str, str]
    form: str
    back: str
    once: str

    def text(self, name: str) -> str:
        """Return a field's text, or an empty string if the field was not sent. CRLF line breaks
        become LF."""
        return self.fields.get(name, "").replace("\r\n", "\n")

    def ticked(self, name: str) -> bool:
        return name in self.fields

    def chosen(self, name: str) -> tuple[str, ...]:
        """Return the values of the ticked boxes whose field names are `name:…`."""
        prefix = f"{name}:"
        return tuple(one.removeprefix(prefix) for one in self.fields if one.startswith(prefix))

    def body(self, model: type[M], **fields: object) -> M:
        """Return the form's content as a request body, validated against the model. Raises
        InvalidBody."""
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            place = error.errors()[0]["loc"]
            raise InvalidBody(f"champ « {place[0] if place else '?'} »") from None

    def check_seen(self, current: str) -> None:
        """Raise ChangedMeanwhile if the form was filled from a version other than `current`. Call
        this method in the transaction of the change."""
        if self.fields.get(SEEN) != current:
            raise ChangedMeanwhile

    def check_confirmed(self, name: str) -> None:
        """Raise NotConfirmed unless the field `confirm` repeats the `name` of the record to delete
        or end."""
        if " ".join(self.text("confirm").split()) != " ".join(name.split()):
            raise NotConfirmed

    @asynccontextmanager
    async def working(
        self, to: str | None = None, *, spanning: bool = False
    ) -> AsyncIterator[UnitOfWork]:
        """Yield a transaction for the form's effect, and mark the form as used in it. The effect
        therefore happens once.

        `to`: the redirect target of a repeated form; None if the response shows a secret.
        `spanning`: the transaction also writes rows that belong to no client. Raises AlreadyPosted.
        """
        works = self.page.resources.work
        tenant = self.page.tenant
        async with works.spanning(tenant) if spanning else works.of(tenant) as work:
            await take_form(work, self.page.actor, self.form, self.once)
            if to is not None:
                await self.leads_to(work, to)
            yield work

    async def leads_to(self, work: UnitOfWork, location: str) -> None:
        """Set the redirect target of a repeated form, for effects whose redirect target is known
        only afterwards."""
        await lead_form(work, self.page.actor, self.once, location)

    async def forget(self) -> None:
        """Delete the form's draft, after an effect that uses its own transactions."""
        page = self.page
        async with page.resources.work.of(page.tenant) as work:
            await drop_draft(work, page.visit.user.id, self.form)

    def done(self, to: str, key: str | None = None, **facts: str) -> Response:
        """Return a redirect to the page `to`, which shows a confirmation. `key`: the key of the
        confirmation's text, as in "content.saved". `facts`: values for the text's placeholders."""
        answer = RedirectResponse(to, status_code=303, headers={"Cache-Control": "no-store"})
        if key is not None:
            give_flash(self.page.request, answer, Flash(kind="done", key=key, facts=facts))
        return answer


class Posted:
    """A dependency that returns a form, sent by a member with one of the `roles`. The other
    parameters are those of `OnPage`.

    The form belongs to the client that it was rendered for, even if another tab has switched the
    client in the meantime. If the session has ended, the fields are kept, and the sign-in page
    leads back to the form.

    `files`: the form may contain a file. `stays`: later pages show the form's client. `chosen`: the
    form belongs to the client in the field INTO, which a user who belongs to several clients must
    choose. Raises CrossSiteRequest, TooManyRequests, RoleRequired, ClientIdMissing, and the errors
    of `read_form`.
    """

    def __init__(
        self,
        roles: Set[Role],
        path_id: PathId | None = None,
        client_of: WhoseRecord | None = None,
        *,
        files: bool = False,
        stays: bool = True,
        chosen: bool = False,
    ) -> None:
        self.roles = roles
        self._chosen = chosen
        self._read = read_upload if files else read_form
        self._stays = stays
        self._on_page = OnPage(roles, path_id, client_of)

    async def __call__(self, request: Request) -> Post:
        check_origin(request)
        form = await self._read(request)
        visit = await visit_of(request)
        back = next_page(form.get(BACK))
        if visit is None:
            await _keep_for_later(request, form)
            raise PageRedirect(sign_in_at(back))
        check_form(request, visit, form)
        once = parse_ulid(form.get(ONCE, ""))
        if once is None:
            raise InvalidBody("champ « _once »")
        owner = _client_of_form(request, visit, form)
        into = parse_ulid(form.get(INTO, "")) if self._chosen else None
        of = owner if into is None else TenantId(into)
        page = await self._on_page.of(request, visit, of, stays=self._stays)
        post = Post(page, form, request.url.path, back, once)
        request.state.post = post
        if self._chosen and into is None and len(page.clients) > 1:
            raise ClientIdMissing
        return post


def _client_of_form(request: Request, visit: Visit, form: Mapping[str, str]) -> TenantId:
    """Return the client that the form was rendered for. Raises InvalidBody if the form was not
    rendered for this user."""
    resources: Resources = request.app.state.resources
    owner = owner_of_form(resources.sealer, form.get(WHO, ""), resources.now())
    if owner is None or owner[0] != visit.user.id:
        raise InvalidBody(f"champ « {WHO} »")
    return owner[1]


async def _keep_for_later(request: Request, form: Mapping[str, str]) -> None:
    resources: Resources = request.app.state.resources
    await resources.limiter.check_request(
        request, LimitScope.PAGES, request.state.caller, resources.now()
    )
    owner = owner_of_form(resources.sealer, form.get(WHO, ""), resources.now())
    if owner is not None and (fields := kept_fields(form)):
        user_id, tenant = owner
        async with resources.work.of(tenant) as work:
            await keep_draft(work, user_id, request.url.path, fields)


def version_of(record: BaseModel) -> str:
    """Return a digest of a record. A form contains the digest of the record that it was filled
    from, so that later changes are detected."""
    return hashlib.sha256(record.model_dump_json().encode()).hexdigest()[:16]


ManagersPost = Annotated[Post, Depends(Posted(MANAGERS))]
ConnectingPost = Annotated[Post, Depends(Posted(MANAGERS, chosen=True))]
ReviewersPost = Annotated[Post, Depends(Posted(REVIEWERS))]
