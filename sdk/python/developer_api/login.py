"""Logging people in: by a redirect (authorization code with PKCE), or by a code that they type on another device
(RFC 8628). Made by generate.ts."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, Optional
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from .client import DeveloperApi
from .errors import ApiError
from .tokens import Application, PendingLogin, Tokens, as_client, tokens_in

_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Login:
    """Logs people in."""

    def __init__(self, base_url: str, application: Application, *, http: Optional[httpx.Client] = None) -> None:
        self._base_url, self._application = base_url.rstrip("/"), application
        self._api = DeveloperApi(base_url, http=http)

    def begin(self, redirect_uri: str, scopes: Sequence[str], *, prompt: Optional[str] = None) -> tuple[str, PendingLogin]:
        """Where to send a person, and what to keep until they return."""
        pending = PendingLogin(secrets.token_urlsafe(32), secrets.token_urlsafe(32), redirect_uri)
        digest = hashlib.sha256(pending.verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._application.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(scopes),
            "state": pending.state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            **({"prompt": prompt} if prompt else {}),
        }
        return f"{self._base_url}/oauth/authorize?{urlencode(query)}", pending

    def finish(self, url: str, pending: PendingLogin) -> Tokens:
        """The tokens of a person who returned to `url`. Raises when they refused, or when this answers another login."""
        given = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        if not secrets.compare_digest(given.get("state", "").encode(errors="surrogatepass"), pending.state.encode()):
            raise ApiError("invalid_state", "This is the answer to another login.", 400)
        if given.get("iss") != self._base_url:  # the service always says it (RFC 9207, section 2.4)
            told = f"This is the answer of {given.get('iss', 'nobody who says so')}, and not of {self._base_url}: write base_url as your service"
            raise ApiError("invalid_issuer", f"{told} does in /.well-known/oauth-authorization-server.", 400)
        if "error" in given:
            raise ApiError(given["error"], given.get("error_description", given["error"]), 400)
        if "code" not in given:
            raise ApiError("invalid_request", "The address has no code.", 400)
        exchange = {"grant_type": "authorization_code", "code": given["code"]}
        proof = {"code_verifier": pending.verifier, "redirect_uri": pending.redirect_uri}
        return tokens_in(self._post("/oauth/token", {**exchange, **proof}, is_once=True))

    def with_device(
        self, scopes: Sequence[str], on_code: Callable[[str, str], None]
    ) -> Tokens:
        """The tokens of a person who logs in on another device; `on_code(uri, code)` shows them where to type what."""
        given = self._post("/oauth/device_authorization", {"scope": " ".join(scopes)}, is_once=True)
        on_code(given["verification_uri"], given["user_code"])
        every_s, ends = float(given.get("interval", 5)), time.time() + float(given["expires_in"])
        asked = {"grant_type": _DEVICE_GRANT, "device_code": given["device_code"]}
        while time.time() < ends:
            time.sleep(every_s)
            try:
                return tokens_in(self._post("/oauth/token", asked))
            except ApiError as error:
                if error.code == "slow_down":
                    every_s += 5
                elif error.code != "authorization_pending":
                    raise
        raise ApiError("expired_token", "Nobody has typed the code in time.", 400)

    def revoke(self, token: str) -> None:
        """Ends what a refresh token began: it, its access tokens, and the consent behind them."""
        self._post("/oauth/revoke", {"token": token})

    def introspect(self, token: str) -> dict[str, Any]:
        """Whether a token of this application lives, and what it is good for (RFC 7662)."""
        return self._post("/oauth/introspect", {"token": token})

    def _post(self, path: str, body: dict[str, str], is_once: bool = False) -> dict[str, Any]:
        response = self._api._try_all("POST", path, body={**body, **as_client(self._application)}, is_once=is_once)
        answer: dict[str, Any] = response.json()
        return answer
