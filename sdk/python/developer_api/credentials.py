"""Where calls get their credential. Made by generate.ts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Optional, Protocol, Union

from .errors import ApiError, LoginRequiredError
from .tokens import Application, Tokens, as_client, tokens_in

if TYPE_CHECKING:
    from .client import DeveloperApi

_SOON_S = 60


class Credentials(Protocol):
    """What gives the credential of a request; another one than `refused`, where there is another."""

    def bearer(self, api: DeveloperApi, refused: Optional[str] = None) -> Optional[str]: ...


class GivenCredential:
    """A token or key that is given, or asked for before each request."""

    def __init__(self, given: Union[str, Callable[[], str], None]) -> None:
        self._given = given

    def bearer(self, api: DeveloperApi, refused: Optional[str] = None) -> Optional[str]:
        given = self._given() if callable(self._given) else self._given
        return given


class UserTokens:
    """A user's tokens, refreshed before they end, by one at a time.

    `on_tokens` keeps new ones and is waited for before they are used: a refresh token is used up by its refresh. Where it fails,
    the old ones are good for another minute. `tokens` is what a login gave, or what reads that from where it is kept.

    Several processes that share tokens give such a function, by which they are read again before each refresh, and a `lock` of
    theirs, which is entered for as long as that takes.
    """

    def __init__(
        self,
        application: Application,
        tokens: Union[Tokens, Callable[[], Tokens]],
        on_tokens: Callable[[Tokens], None],
        *,
        lock: Optional[AbstractContextManager[Any]] = None,
    ) -> None:
        self._application, self._given, self._on_tokens = application, tokens, on_tokens
        self._shared: AbstractContextManager[Any] = lock or nullcontext()
        self._lock = threading.Lock()
        self._known: Optional[Tokens] = None

    def bearer(self, api: DeveloperApi, refused: Optional[str] = None) -> str:
        with self._lock:
            known = self._known or self._read()
            if known.refresh_token and (_is_ending(known) or known.access_token == refused):
                with self._shared:
                    known = self._renewed(api, known)
            self._known = known
            return known.access_token

    def _read(self) -> Tokens:
        given = self._given() if callable(self._given) else self._given
        return given

    def _renewed(self, api: DeveloperApi, old: Tokens) -> Tokens:
        current = self._read() if callable(self._given) else old
        is_new = current.access_token != old.access_token and not _is_ending(current)
        return current if is_new else self._refresh(api, current)

    def _refresh(self, api: DeveloperApi, old: Tokens) -> Tokens:
        if not old.refresh_token:
            raise LoginRequiredError("invalid_grant", "There is no refresh token.", 400)
        given = {"grant_type": "refresh_token", "refresh_token": old.refresh_token}
        try:
            response = api._try_all("POST", "/oauth/token", body={**given, **as_client(self._application)})
        except ApiError as error:
            if error.code != "invalid_grant":
                raise
            raise LoginRequiredError(error.code, str(error), error.status, error.request_id) from error
        tokens = tokens_in(response.json(), old.refresh_token)
        self._on_tokens(tokens)
        return tokens


class ApplicationTokens:
    """What an application is by itself: its token, got again before it ends."""

    def __init__(self, application: Application, scope: Optional[str] = None) -> None:
        self._application, self._scope = application, scope
        self._lock = threading.Lock()
        self._known: Optional[Tokens] = None

    def bearer(self, api: DeveloperApi, refused: Optional[str] = None) -> str:
        with self._lock:
            if self._known is None or _is_ending(self._known) or self._known.access_token == refused:
                self._known = self._get(api)
            return self._known.access_token

    def _get(self, api: DeveloperApi) -> Tokens:
        given = {"grant_type": "client_credentials", **({"scope": self._scope} if self._scope else {})}
        response = api._try_all("POST", "/oauth/token", body={**given, **as_client(self._application)})
        return tokens_in(response.json())


def _is_ending(tokens: Tokens) -> bool:
    return tokens.expires_at - time.time() < _SOON_S
