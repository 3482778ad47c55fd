"""The feed, for asyncio. `feed.py` is made from this file: see generate.ts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Optional, Union

import httpx

from .errors import ApiError, ConnectionFailed, error_of
from .types import FeedEvent
from .wire import Query, backoff_s, given_in, headers_of

if TYPE_CHECKING:
    from .aio import AsyncDeveloperApi

_SILENT_S = 40
_KNOWN_MAX = 10_000


class AsyncFeed:
    """The feed as something to iterate over: cut off, it goes on where it was; no event is missing, and none comes twice."""

    def __init__(
        self,
        api: AsyncDeveloperApi,
        query: Query,
        after: Optional[str],
        since: Optional[str],
        on_open: Optional[Callable[[], None]],
        on_lost: Optional[Callable[[Exception], None]],
    ) -> None:
        self._api, self._query, self._since = api, query, since
        self._on_open, self._on_lost = on_open, on_lost
        self._known: dict[str, None] = {}
        self._failures = 0
        self._renewals = 0  # credentials in a row, each got because the stream was refused to the one before
        #: Goes on behind the event that the loop is at. Keep it when the work for that event is done.
        self.cursor = after

    async def __aiter__(self) -> AsyncIterator[FeedEvent]:
        while True:
            if self._failures > 0:
                await asyncio.sleep(backoff_s(self._failures - 1))
            self._failures += 1  # until something is heard
            try:
                bearer = await self._api._bearer()
            except (ApiError, ConnectionFailed) as error:  # of a refresh
                await self._wait_out(error)
                continue
            params = given_in({**self._query, **({"after": self.cursor} if self.cursor else {"since": self._since})})
            headers = {**headers_of(bearer), "accept": "text/event-stream"}
            try:
                url = self._api._base_url + "/v1/events"
                timeout = httpx.Timeout(30, read=_SILENT_S)
                async with self._api._http.stream(
                    "GET", url, params=params, headers=headers, timeout=timeout, follow_redirects=False
                ) as response:
                    if not response.is_success:
                        await response.aread()
                        await self._refused(error_of(response), bearer)
                        continue
                    self._renewals = 0
                    if self._on_open:
                        self._on_open()
                    part: dict[str, str] = {}
                    async for line in _lines_of(response):
                        if line:
                            name, _, value = line.partition(":")
                            part[name] = value.removeprefix(" ")
                            continue
                        event, is_over = self._event_in(part)
                        part = {}
                        if is_over:
                            break
                        if event is not None:
                            yield event
            except httpx.TransportError as error:  # lost, or silent
                lost = ConnectionFailed(f"{self._api._base_url} did not answer, or cut the stream off: {error}")
                lost.__cause__ = error
                self._tell(lost)

    def _tell(self, error: Exception) -> None:
        if self._on_lost:
            self._on_lost(error)

    def _event_in(self, part: dict[str, str]) -> tuple[Optional[FeedEvent], bool]:
        self._failures = 0
        if part.get("event") == "end":
            return None, True
        if part.get("id"):
            self.cursor = part["id"]
        if part.get("event") == "progress" or not part.get("data"):
            return None, False
        event: FeedEvent = json.loads(part["data"])
        if event["id"] in self._known:
            return None, False
        self._known[event["id"]] = None
        if len(self._known) > _KNOWN_MAX:
            del self._known[next(iter(self._known))]
        return event, False

    async def _refused(self, refusal: ApiError, bearer: Optional[str]) -> None:
        """Gets another credential where that may help."""
        error: Union[ApiError, ConnectionFailed] = refusal
        if refusal.status == 401 and self._renewals < 2:
            try:
                if await self._api._bearer(bearer) != bearer:
                    self._renewals += 1
                    return
            except (ApiError, ConnectionFailed) as failure:
                error = failure
        await self._wait_out(error)

    async def _wait_out(self, error: Union[ApiError, ConnectionFailed]) -> None:
        """Waits where that helps, and raises the error where not."""
        if isinstance(error, ApiError) and error.status != 429 and error.status < 500:
            raise error
        self._tell(error)
        if isinstance(error, ApiError) and error.retry_after_s is not None:
            await asyncio.sleep(error.retry_after_s)


async def _lines_of(response: httpx.Response) -> AsyncIterator[str]:
    """Those of httpx end at more than a line feed, as at U+2028, which a message may hold."""
    unread = ""
    async for text in response.aiter_text():
        *lines, unread = (unread + text).split("\n")
        for line in lines:
            yield line.removesuffix("\r")
