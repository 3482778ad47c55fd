"""What requests and answers have, for asyncio and for threads."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Optional, Union
from urllib.parse import parse_qs, urlsplit

import httpx

from .errors import ApiError, ConnectionFailed

Query = dict[str, Union[str, int, None]]
Types = Union[str, Sequence[str]]


def headers_of(bearer: Optional[str], key: Optional[str] = None) -> dict[str, str]:
    headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
    return headers if key is None else {**headers, "idempotency-key": key}


def given_in(query: Optional[Query]) -> dict[str, Union[str, int]]:
    return {name: value for name, value in (query or {}).items() if value is not None}


def listed(types: Optional[Types]) -> Optional[str]:
    """Types of events as the service reads them; one of them is no list of letters."""
    return ",".join([types] if isinstance(types, str) else types) if types else None


def next_in(response: httpx.Response, parameter: str) -> Optional[str]:
    """What the `Link` to the next page has as a parameter."""
    link = response.links.get("next")
    values = parse_qs(urlsplit(link["url"]).query).get(parameter) if link else None
    return values[0] if values else None


def backoff_s(attempt: int) -> float:
    longest = min(30.0, 0.5 * 2.0**attempt)
    return longest / 2 + random.random() * longest / 2


def wait_s_of(failure: Union[ApiError, ConnectionFailed], attempt: int, is_once: bool) -> Optional[float]:
    """How long to wait before another try; None where that does not help, or nobody knows whether it was done."""
    if isinstance(failure, ConnectionFailed):
        return None if is_once else backoff_s(attempt)
    if failure.status not in ((429, 503) if is_once else (429, 502, 503, 504)):
        return None
    return failure.retry_after_s if failure.retry_after_s is not None else backoff_s(attempt)
