"""A form submitted from a page.

If the session has expired or a rule is violated, the fields are kept as a draft for the next page.
Each rendered form takes effect at most once.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Final, Protocol, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import RedirectResponse, Response

from api.access import member_of
from api.dashboard.flash import Flash, give_flash
from api.dashboard.forms import (
    LONG_FIELDS,
    SMALL_FORM,
    read_form,
    read_text_upload,
    read_upload,
)
from api.dashboard.next_page import next_page
from api.dashboard.page import OnPage, Page, count_page
from api.dashboard.redirect import PageRedirect
from api.dashboard.session import (
    Visit,
    check_form,
    check_origin,
    sign_in_at,
    user_of,
    visit_of,
)
from api.dashboard.typed import SEEN, kept_fields, owner_of_form
from api.http.client_address import client_network, limited_address
from api.http.json_body import MAX_BYTES
from api.resources import Resources
from api.route import PathId
from domain.core.attached_file import AttachedFile
from domain.core.errors import InvalidBody
from domain.core.ids import TenantId, parse_ulid
from domain.dashboard.errors import ChangedMeanwhile, NotConfirmed
from domain.dashboard.overview import next_step
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import MANAGERS, REVIEWERS
from domain.tenants.client import Role
from domain.tenants.errors import ClientIdMissing
from services.core.unit_of_work import UnitOfWork
from services.dashboard.forms import drop_draft, keep_draft, lead_form, take_form
from store.core.database import WhoseRecord
from store.dashboard.overview import read_first_steps

M = TypeVar("M", bound=BaseModel)

ONCE: Final = "_once"
BACK: Final = "_back"
WHO: Final = "_who"
INTO: Final = "into"
"""Name of the form field that specifies the client for a new connection. A user who belongs to
several clients chooses one of them in this field."""


@dataclass(frozen=True, slots=True)
class Post:
    """A form submitted from a client's page. `form` is the path of the submission, and `back` the
    page with the form. `once` identifies its rendering. `file` is the upload, if any."""

    page: Page
    fields: Mapping[str, str]
    form: str
    back: str
    once: str
    file: AttachedFile | None = None

    def text(self, name: str) -> str:
        """Return a field's text, or an empty string if the field was not submitted. CRLF line
        breaks are converted to LF."""
        return self.fields.get(name, "").replace("\r\n", "\n")

    def ticked(self, name: str) -> bool:
        return name in self.fields

    def chosen(self, name: str) -> tuple[str, ...]:
        """Return the values of the checked boxes whose field names start with `name:`."""
        prefix = f"{name}:"
        return tuple(one.removeprefix(prefix) for one in self.fields if one.startswith(prefix))

    def body(self, model: type[M], **fields: object) -> M:
        """Return the form's content as a request body, validated against the model. Raises
        InvalidBody if the content is invalid."""
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            place = error.errors()[0]["loc"]
            raise InvalidBody(f"champ « {place[0] if place else '?'} »") from None

    def check_seen(self, current: str) -> None:
        """Raise ChangedMeanwhile if the form was rendered from a version other than `current`. Call
        this method in the transaction that makes the change."""
        if self.fields.get(SEEN) != current:
            raise ChangedMeanwhile

    def check_confirmed(self, name: str) -> None:
        """Raise NotConfirmed unless the `confirm` field contains the `name` of the record to delete
        or end."""
        if " ".join(self.text("confirm").split()) != " ".join(name.split()):
            raise NotConfirmed

    @asynccontextmanager
    async def working(
        self, to: str | None = None, *, spanning: bool = False
    ) -> AsyncIterator[UnitOfWork]:
        """Yield a transaction for the form's effect, which also marks the form as used.

        `to` is the redirect of a repeated submission, or None for a response with a secret. If
        `spanning` is true, rows that belong to no client are allowed. Raises AlreadyPosted.
        """
        works = self.page.resources.work
        tenant = self.page.tenant
        async with works.spanning(tenant) if spanning else works.of(tenant) as work:
            await take_form(work, self.page.actor, self.form, self.once)
            if to is not None:
                await self.leads_to(work, to)
            yield work

    async def leads_to(self, work: UnitOfWork, location: str) -> None:
        """Set the redirect target for a repeated submission. Call this method if the target is
        known only after the form has taken effect."""
        await lead_form(work, self.page.actor, self.once, location)

    async def forget(self) -> None:
        """Delete the form's draft. Call this method after an effect that runs in separate
        transactions."""
        page = self.page
        async with page.resources.work.of(page.tenant) as work:
            await drop_draft(work, page.visit.user.id, self.form)

    def done(self, to: str, key: str | None = None, **facts: str) -> Response:
        """Return a redirect to the page `to` with a confirmation. `key` is its text's key, such as
        "content.saved". `facts` fill its placeholders."""
        answer = RedirectResponse(to, status_code=303, headers={"Cache-Control": "no-store"})
        if key is not None:
            give_flash(self.page.request, answer, Flash(kind="done", key=key, facts=facts))
        return answer

    async def step_done(self, to: str, key: str = "", **facts: str) -> Response:
        """Return a redirect like `done`. Until the client has completed onboarding, the
        confirmation for a manager contains a link to the next step."""
        page, following = self.page, None
        if page.may(MANAGERS):
            async with page.resources.database.reading(page.tenant) as connection:
                following = next_step(await read_first_steps(connection, page.tenant))
        answer = self.done(to)
        if key or following:
            flash = Flash(kind="done", key=key, facts=facts, next_step=following)
            give_flash(self.page.request, answer, flash)
        return answer


class ReadForm(Protocol):
    """A function that reads a form of at most `at_most` bytes. `long_fields` is the maximum length
    of each long field, by name."""

    async def __call__(
        self, request: Request, *, at_most: int, long_fields: Mapping[str, int]
    ) -> Mapping[str, str]: ...


class Posted:
    """A dependency that returns a form submitted by a member with one of the `roles`. Other
    parameters are as for `OnPage`.

    The form applies to the client of its rendering, even if another tab has switched clients. After
    an expired session, the fields are kept, and the sign-in page leads back.

    - `long_fields`: the maximum length of each field longer than MAX_FIELD.
    - `files`: the form may contain a text file, as the field `file`.
    - `upload`: the maximum bytes of a form with any file, as the post's `file`.
    - `stays`: later pages show the form's client.
    - `chosen`: the client is in the INTO field, required of users with several.

    Raises CrossSiteRequest, TooManyRequests, RoleRequired, ClientIdMissing, and the errors of
    `read_form`.
    """

    def __init__(
        self,
        roles: Set[Role],
        path_id: PathId | None = None,
        client_of: WhoseRecord | None = None,
        *,
        files: bool = False,
        upload: int | None = None,
        stays: bool = True,
        chosen: bool = False,
        long_fields: Mapping[str, int] = LONG_FIELDS,
    ) -> None:
        self.roles = roles
        self._long_fields = long_fields
        self._chosen = chosen
        self._read: ReadForm = read_text_upload if files else read_form
        self._upload = upload
        self._stays = stays
        self._on_page = OnPage(roles, path_id, client_of)

    async def __call__(self, request: Request) -> Post:
        check_origin(request)
        visit = await visit_of(request)
        if visit is None:
            back = await _keep_for_later(request, self._read, self._long_fields)
            raise PageRedirect(sign_in_at(back))
        # The request is counted before the form is read, so that rejected forms also count toward
        # the limit.
        await count_page(request, visit)
        file, long_fields = None, self._long_fields
        if self._upload is None:
            form = await self._read(request, at_most=MAX_BYTES, long_fields=long_fields)
        else:
            form, file = await read_upload(request, at_most=self._upload, long_fields=long_fields)
        back = next_page(form.get(BACK))
        await check_form(request, visit, form)
        once = parse_ulid(form.get(ONCE, ""))
        if once is None:
            raise InvalidBody("champ « _once »")
        owner = _client_of_form(request, visit, form)
        into = parse_ulid(form.get(INTO, "")) if self._chosen else None
        of = owner if into is None else TenantId(into)
        page = await self._on_page.of(request, visit, of, stays=self._stays)
        post = Post(page, form, request.url.path, back, once, file)
        request.state.post = post
        if self._chosen and into is None and len(page.clients) > 1:
            raise ClientIdMissing
        return post


def _client_of_form(request: Request, visit: Visit, form: Mapping[str, str]) -> TenantId:
    """Return the client for which the form was rendered. Raises InvalidBody if the form was not
    rendered for this user."""
    resources: Resources = request.app.state.resources
    owner = owner_of_form(resources.sealer, form.get(WHO, ""), resources.now())
    if owner is None or owner[0] != visit.user.id:
        raise InvalidBody(f"champ « {WHO} »")
    return owner[1]


async def _keep_for_later(request: Request, read: ReadForm, long_fields: Mapping[str, int]) -> str:
    """Keep the fields of a form whose sender is not signed in. Return the page after the sign-in.
    Anyone can send the request, so it is counted before its body is read."""
    resources: Resources = request.app.state.resources
    request.state.caller = f"ip:{limited_address(request)}"
    await resources.limiter.check_address(request, LimitScope.PAGES, resources.now())
    form = await read(request, at_most=SMALL_FORM, long_fields=long_fields)
    owner = owner_of_form(resources.sealer, form.get(WHO, ""), resources.now())
    if owner is not None and (fields := kept_fields(form)):
        user_id, tenant = owner
        # A form may have been rendered before the user's membership ended.
        user = user_of(user_id, resources)
        if await member_of(user, tenant, resources, client_network(request)) is not None:
            async with resources.work.of(tenant) as work:
                await keep_draft(work, user_id, request.url.path, fields)
    return next_page(form.get(BACK))


def version_of(record: BaseModel) -> str:
    """Return a digest of a record. Forms embed the digest, so that a submission is rejected if the
    record has changed since the form was rendered."""
    return hashlib.sha256(record.model_dump_json().encode()).hexdigest()[:16]


ManagersPost = Annotated[Post, Depends(Posted(MANAGERS))]
ConnectingPost = Annotated[Post, Depends(Posted(MANAGERS, chosen=True))]
ReviewersPost = Annotated[Post, Depends(Posted(REVIEWERS))]
