"""Sign-in through an external identity provider: OpenID Connect's authorization code flow, with
PKCE.

authlib builds the requests, which have the deadlines and size limit of all calls to other systems.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import urlencode

import httpx
import jwt
import structlog
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from authlib.oauth2.rfc6749.parameters import prepare_token_request
from pydantic import AfterValidator, BaseModel, ConfigDict

from adapters.connectors.http import ConnectorCall
from adapters.identity.id_token import id_token_claims, proved_address
from adapters.identity.jwks import ProviderKeys
from domain.core.errors import DomainError
from domain.identity.errors import ProviderAnswerInvalid, ProviderUnreachable, SignInInterrupted
from domain.identity.provider import ProvedPerson, SignInAttempt
from domain.integrations.errors import (
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    NotAuthorized,
)
from settings.group import is_fetched_safely
from settings.identity import ASYMMETRIC, IdentitySettings

LIFESPAN_S: Final = 3600.0
"""The provider's endpoints are fetched again after this many seconds. The previous endpoints stay
in use until a fetch succeeds."""
RETRY_S: Final = 5.0
"""Back-off after a failed fetch of the provider's endpoints, in seconds. During the back-off,
callers receive the error immediately."""

_FORM: Final = "application/x-www-form-urlencoded"
_WELL_KNOWN: Final = "/.well-known/openid-configuration"

_Endpoint = Annotated[str, AfterValidator(is_fetched_safely)]
_log = structlog.get_logger(__name__)


class _Metadata(BaseModel):
    """A provider's metadata (OpenID Connect Discovery 1.0, RFC 9207)."""

    issuer: str
    authorization_endpoint: _Endpoint
    token_endpoint: _Endpoint
    jwks_uri: _Endpoint
    userinfo_endpoint: _Endpoint | None = None
    end_session_endpoint: _Endpoint | None = None
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False

    @property
    def algorithms(self) -> tuple[str, ...]:
        return tuple(sorted(ASYMMETRIC.intersection(self.id_token_signing_alg_values_supported)))


class _Tokens(BaseModel):
    id_token: str
    access_token: str = ""


class _UserInfo(BaseModel):
    model_config = ConfigDict(extra="allow")

    sub: str


@dataclass(frozen=True, slots=True)
class _Known:
    metadata: _Metadata
    keys: ProviderKeys
    asked_at: float


class OidcProvider:
    """The external identity provider, shared by all requests in the process."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        issuer: str,
        client_id: str,
        client_secret: str | None,
        scopes: str,
        redirect_uri: str,
        clock: Callable[[], float],
    ) -> None:
        """Create the provider. `clock` is a monotonic clock, in seconds."""
        self._http = http
        self._issuer = issuer
        self._client_id = client_id
        self._client_secret = client_secret
        self._scopes = scopes
        self._redirect_uri = redirect_uri
        self._clock = clock
        self._known: _Known | None = None
        self._failed_at = -math.inf
        self._asking = asyncio.Lock()

    async def sign_in_url(self, attempt: SignInAttempt) -> str:
        """Return the provider's sign-in URL for the browser. Raises ProviderUnreachable."""
        known = await self._provider()
        client = OAuth2Client(
            session=None,
            client_id=self._client_id,
            scope=self._scopes,
            redirect_uri=self._redirect_uri,
            code_challenge_method="S256",
        )
        url, _ = client.create_authorization_url(
            known.metadata.authorization_endpoint,
            state=attempt.state,
            code_verifier=attempt.code_verifier,
            nonce=attempt.nonce,
        )
        return str(url)

    async def check_issuer(self, said: str | None) -> None:
        """Raise SignInInterrupted unless the `iss` of a response (RFC 9207) is this provider,
        because a sign-in page may use several. Raises ProviderUnreachable."""
        metadata = (await self._provider()).metadata
        if said is None and not metadata.authorization_response_iss_parameter_supported:
            return
        if said != self._issuer:
            raise SignInInterrupted

    async def person(self, code: str, attempt: SignInAttempt) -> ProvedPerson:
        """Return the user who signed in. `code` is the browser's authorization code. Raises
        SignInInterrupted for an invalid one, ProviderAnswerInvalid, ProviderUnreachable."""
        known = await self._provider()
        tokens = await self._tokens(known.metadata, code, attempt)
        try:
            claims = await id_token_claims(
                tokens.id_token,
                known.keys,
                issuer=self._issuer,
                client_id=self._client_id,
                algorithms=known.metadata.algorithms,
                nonce=attempt.nonce,
                access_token=tokens.access_token,
            )
        except jwt.PyJWTError as error:
            # Log only the error type because the messages quote the token.
            _log.error("ID token rejected", reason=type(error).__name__)
            raise ProviderAnswerInvalid from None
        subject = str(claims["sub"])
        if "email" not in claims and known.metadata.userinfo_endpoint is not None:
            claims = await self._user_info(known.metadata.userinfo_endpoint, tokens, subject)
        return ProvedPerson(subject, proved_address(claims))

    async def sign_out_url(self, back: str) -> str | None:
        """Return the provider's sign-out URL for the browser, or None. `back` is the URL to return
        to. Raises ProviderUnreachable."""
        endpoint = (await self._provider()).metadata.end_session_endpoint
        if endpoint is None:
            return None
        query = urlencode({"client_id": self._client_id, "post_logout_redirect_uri": back})
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{query}"

    async def close(self) -> None:
        if self._known is not None:
            await self._known.keys.close()

    async def _tokens(self, metadata: _Metadata, code: str, attempt: SignInAttempt) -> _Tokens:
        body = prepare_token_request(
            "authorization_code",
            code=code,
            redirect_uri=self._redirect_uri,
            code_verifier=attempt.code_verifier,
        )
        auth = ClientAuth(self._client_id, self._client_secret, self._auth_method(metadata))
        headers = {"accept": "application/json", "content-type": _FORM}
        url, headers, body = auth.prepare("POST", metadata.token_endpoint, headers, body)
        request = self._http.build_request("POST", url, headers=headers, content=body)
        with _said_of_the_provider():
            return await ConnectorCall(self._http).effect(request, _Tokens)

    async def _user_info(
        self, endpoint: str, tokens: _Tokens, subject: str
    ) -> Mapping[str, object]:
        """Return the user's claims from the provider's UserInfo endpoint. It is needed because many
        providers omit the email address from the ID token."""
        headers = {"authorization": f"Bearer {tokens.access_token}"}
        request = self._http.build_request("GET", endpoint, headers=headers)
        with _said_of_the_provider():
            found = await ConnectorCall(self._http).read(request, _UserInfo)
        if found.sub != subject:  # The claims belong to another user (OpenID Connect Core, 5.3.2).
            _log.error("rejected the identity provider's user info")
            raise ProviderAnswerInvalid
        return found.model_extra or {}

    def _auth_method(self, metadata: _Metadata) -> str:
        if self._client_secret is None:
            return "none"
        offered = metadata.token_endpoint_auth_methods_supported
        known = ("client_secret_basic", "client_secret_post")
        return next((method for method in known if method in offered), known[0])

    async def _provider(self) -> _Known:
        """Return the provider's metadata and keys. Raises ProviderUnreachable."""
        if self._known is None or self._clock() - self._known.asked_at >= LIFESPAN_S:
            async with self._asking:
                await self._ask()
        if self._known is None:
            raise ProviderUnreachable
        return self._known

    async def _ask(self) -> None:
        """Fetch the provider's endpoints, unless a fetch has just succeeded or failed."""
        known, now = self._known, self._clock()
        if (known and now - known.asked_at < LIFESPAN_S) or now - self._failed_at < RETRY_S:
            return
        request = self._http.build_request("GET", self._issuer.rstrip("/") + _WELL_KNOWN)
        try:
            metadata = await ConnectorCall(self._http).read(request, _Metadata)
        except DomainError as error:
            self._failed_at = self._clock()
            _log.error("identity provider not found", reason=error.code)
            return
        if metadata.issuer != self._issuer or not metadata.algorithms:
            self._failed_at = self._clock()
            _log.error("identity provider is misconfigured", issuer=metadata.issuer == self._issuer)
            return
        keys = known.keys if known else None
        if keys is None or (known and known.metadata.jwks_uri != metadata.jwks_uri):
            keys = ProviderKeys(metadata.jwks_uri, clock=self._clock)
            if known is not None:
                await known.keys.close()
        self._known = _Known(metadata, keys, self._clock())


@contextmanager
def _said_of_the_provider() -> Iterator[None]:
    try:
        yield
    except (ActionUnreachable, ActionUnknown) as error:
        _log.error("identity provider does not respond", reason=error.code)
        raise ProviderUnreachable from error
    except NotAuthorized as error:
        _log.error("identity provider rejected our client id")
        raise ProviderAnswerInvalid from error
    except ActionRefused as error:  # The code may already have been used, or may be invented.
        _log.warning("identity provider rejected an authorization code")
        raise SignInInterrupted from error


def oidc_provider(
    settings: IdentitySettings,
    http: httpx.AsyncClient,
    redirect_uri: str,
    clock: Callable[[], float],
) -> OidcProvider | None:
    """Return the external identity provider, or None if this service handles sign-in itself."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    secret = settings.oidc_client_secret
    return OidcProvider(
        http,
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=secret.get_secret_value() if secret else None,
        scopes=settings.oidc_scopes,
        redirect_uri=redirect_uri,
        clock=clock,
    )
