"""A third-party OpenID provider with arbitrary responses."""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import jwt

from adapters.system import new_ulid, utc_now
from tests.support.servers.http_service import HttpService, Reply, Request
from tests.support.tenants.identity import PrivateKey, public_jwk, rsa_key

CLIENT_ID = "the-service"
CLIENT_SECRET = "known to the two of us"
ACCESS_TOKEN = "an access token"

Claims = dict[str, object]


@dataclass
class _Grant:
    asked: dict[str, str]
    claims: Claims


class OidcProvider(HttpService):
    """An OpenID provider. `extra` is additional metadata. `forge` replaces the valid ID token.
    `user_info` is the response of that endpoint."""

    def __init__(self) -> None:
        super().__init__()
        self.key: PrivateKey = rsa_key()
        self.begin_anew()

    def begin_anew(self) -> None:
        self.seen.clear()
        self.forget_faults()
        self.extra: dict[str, object] = {}
        self.forge: Callable[[Claims], str] = self.sign
        self.user_info: Claims | None = None
        self._grants: dict[str, _Grant] = {}
        self._last_sub = ""

    def sign(self, claims: Claims, **header: object) -> str:
        return jwt.encode(claims, self.key, "RS256", headers={"kid": "k1", **header})

    def answer_to(self, url: str, sub: str, claims: Claims | None = None) -> dict[str, str]:
        """Return the parameters that the browser brings back after its user has signed in. A claim
        that is None is omitted."""
        asked = dict(parse_qsl(urlsplit(url).query))
        assert url.startswith(f"{self.url}/authorize?")
        assert asked["code_challenge_method"] == "S256"
        code, now = new_ulid(), int(utc_now().timestamp())
        said: Claims = {
            "iss": self.url, "aud": asked["client_id"], "sub": sub, "nonce": asked["nonce"],
            "iat": now, "exp": now + 300, **(claims or {}),
        }  # fmt: skip
        said = {name: value for name, value in said.items() if value is not None}
        self._grants[code] = _Grant(asked, said)
        self._last_sub = sub
        return {"code": code, "state": asked["state"]}

    def asked_for(self, path: str) -> int:
        return sum(request.path == path for request in self.seen)

    def method(self, request: Request) -> str:
        return request.path

    def route(self, request: Request) -> Reply:
        match request.path:
            case "/.well-known/openid-configuration":
                return Reply(body=self._metadata())
            case "/jwks":
                return Reply(body={"keys": [public_jwk(self.key, "k1", alg="RS256", use="sig")]})
            case "/token":
                return self._token(request)
            case "/userinfo":
                return Reply(body=self.user_info or {"sub": self._last_sub})
        return Reply(404)

    def _metadata(self) -> dict[str, object]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            **self.extra,
        }

    def _token(self, request: Request) -> Reply:
        """Exchange a code once, as in RFC 6749 and 7636, for the holder of its verifier."""
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if request.authorization != f"Basic {basic}":
            return Reply(401, {"error": "invalid_client"})
        grant = self._grants.pop(request.body.get("code", ""), None)
        digest = hashlib.sha256(request.body.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            grant is None
            or challenge != grant.asked["code_challenge"]
            or request.body.get("redirect_uri") != grant.asked["redirect_uri"]
        ):
            return Reply(400, {"error": "invalid_grant"})
        token = self.forge(grant.claims)
        return Reply(body={"access_token": ACCESS_TOKEN, "token_type": "Bearer", "id_token": token})
