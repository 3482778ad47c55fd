"""Where calls get their credential, for asyncio. `credentials.py` is made from this file: see generate.ts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Optional, Protocol, Union

from .errors import ApiError, LoginRequiredError
from .tokens import Application, Tokens, as_client, tokens_in

if TYPE_CHECKING:
    from .aio import AsyncDeveloperApi

_SOON_S = 60


class AsyncCredentials(Protocol):
    """What gives the credential of a request; another one than `refused`, where there is another."""

    async def bearer(self, api: AsyncDeveloperApi, refused: Optional[str] = None) -> Optional[str]: ...


class AsyncGivenCredential:
    """A token or key that is given, or asked for before each request."""

    def __init__(self, given: Union[str, Callable[[], Union[str, Awaitable[str]]], None]) -> None:
        self._given = given

    async def bearer(self, api: AsyncDeveloperApi, refused: Optional[str] = None) -> Optional[str]:
        given = self._given() if callable(self._given) else self._given
        return given if given is None or isinstance(given, str) else await given


class AsyncUserTokens:
    """A user's tokens, refreshed before they end, by one at a time.

    `on_tokens` keeps new ones and is waited for before they are used: a refresh token is used up by its refresh. Where it fails,
    the old ones are good for another minute. `tokens` is what a login gave, or what reads that from where it is kept.

    Several processes that share tokens give such a function, by which they are read again before each refresh, and a `lock` of
    theirs, which is entered for as long as that takes.
    """

    def __init__(
        self,
        application: Application,
        tokens: Union[Tokens, Callable[[], Union[Tokens, Awaitable[Tokens]]]],
        on_tokens: Callable[[Tokens], Optional[Awaitable[None]]],
        *,
        lock: Optional[AbstractAsyncContextManager[Any]] = None,
    ) -> None:
        self._application, self._given, self._on_tokens = application, tokens, on_tokens
        self._shared: AbstractAsyncContextManager[Any] = lock or nullcontext()
        self._lock = asyncio.Lock()
        self._known: Optional[Tokens] = None

    async def bearer(self, api: AsyncDeveloperApi, refused: Optional[str] = None) -> str:
        async with self._lock:
            known = self._known or await self._read()
            if known.refresh_token and (_is_ending(known) or known.access_token == refused):
                async with self._shared:
                    known = await self._renewed(api, known)
            self._known = known
            return known.access_token

    async def _read(self) -> Tokens:
        given = self._given() if callable(self._given) else self._given
        return given if isinstance(given, Tokens) else await given

    async def _renewed(self, api: AsyncDeveloperApi, old: Tokens) -> Tokens:
        current = await self._read() if callable(self._given) else old
        is_new = current.access_token != old.access_token and not _is_ending(current)
        return current if is_new else await self._refresh(api, current)

    async def _refresh(self, api: AsyncDeveloperApi, old: Tokens) -> Tokens:
        if not old.refresh_token:
            raise LoginRequiredError("invalid_grant", "There is no refresh token.", 400)
        given = {"grant_type": "refresh_token", "refresh_token": old.refresh_token}
        try:
            response = await api._try_all("POST", "/oauth/token", body={**given, **as_client(self._application)})
        except ApiError as error:
            if error.code != "invalid_grant":
                raise
            raise LoginRequiredError(error.code, str(error), error.status, error.request_id) from error
        tokens = tokens_in(response.json(), old.refresh_token)
        kept = self._on_tokens(tokens)
        if kept is not None:
            await kept
        return tokens


class AsyncApplicationTokens:
    """What an application is by itself: its token, got again before it ends."""

    def __init__(self, application: Application, scope: Optional[str] = None) -> None:
        self._application, self._scope = application, scope
        self._lock = asyncio.Lock()
        self._known: Optional[Tokens] = None

    async def bearer(self, api: AsyncDeveloperApi, refused: Optional[str] = None) -> str:
        async with self._lock:
            if self._known is None or _is_ending(self._known) or self._known.access_token == refused:
                self._known = await self._get(api)
            return self._known.access_token

    async def _get(self, api: AsyncDeveloperApi) -> Tokens:
        given = {"grant_type": "client_credentials", **({"scope": self._scope} if self._scope else {})}
        response = await api._try_all("POST", "/oauth/token", body={**given, **as_client(self._application)})
        return tokens_in(response.json())


def _is_ending(tokens: Tokens) -> bool:
    return tokens.expires_at - time.time() < _SOON_S
