"""What a login gives, and what an application is."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Application:
    """Without a secret where it cannot keep one."""

    client_id: str
    client_secret: Optional[str] = None


@dataclass(frozen=True)
class Tokens:
    """`expires_at` is when the access token ends, in seconds since 1970."""

    access_token: str
    refresh_token: Optional[str]
    scope: str
    expires_at: float


@dataclass(frozen=True)
class PendingLogin:
    """What is kept between sending somebody away and their return: in their session, never in an address."""

    state: str
    verifier: str
    redirect_uri: str


def as_client(application: Application) -> dict[str, str]:
    """The fields by which an application names itself."""
    fields = {"client_id": application.client_id}
    return {**fields, "client_secret": application.client_secret} if application.client_secret else fields


def tokens_in(body: dict[str, Any], earlier: Optional[str] = None) -> Tokens:
    """What the token endpoint has answered just now."""
    ends = time.time() + float(body["expires_in"])
    return Tokens(body["access_token"], body.get("refresh_token") or earlier, body["scope"], ends)
