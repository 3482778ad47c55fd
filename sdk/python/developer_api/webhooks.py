"""Webhooks: Standard Webhooks 1.0.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Optional, Union, cast

from .errors import SignatureError
from .types import WebhookEvent


def unwrap(
    secret: Union[str, Sequence[str]],
    headers: Union[Mapping[str, str], Mapping[bytes, bytes]],
    body: bytes,
    *,
    tolerance_s: float = 300,
    now: Optional[float] = None,
) -> WebhookEvent:
    """Judges a delivery and returns its event; raises `SignatureError` when it is not ours, too old, or changed.

    `body` is what was received, before anything has parsed it. While a secret is rotated give both.
    """
    given = {_text_of(name).lower(): value for name, value in headers.items()}
    identifier, timestamp, signatures = (_text_of(given.get(f"webhook-{name}")) for name in ("id", "timestamp", "signature"))
    if not identifier or not timestamp or not signatures:
        raise SignatureError("A header is missing: webhook-id, webhook-timestamp, webhook-signature.")
    if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
        raise SignatureError("webhook-timestamp: is no number of seconds.")
    age_s = (time.time() if now is None else now) - int(timestamp)
    if abs(age_s) > tolerance_s:
        raise SignatureError(f"webhook-timestamp: is {age_s:.0f} s old.")
    signed = _bytes_of(f"{identifier}.{timestamp}.") + body
    secrets = [secret] if isinstance(secret, str) else secret
    if not any(_is_signed(_key_of(one), signatures, signed) for one in secrets):
        raise SignatureError("webhook-signature: is none of this secret and this body.")
    try:
        return cast(WebhookEvent, json.loads(body))
    except ValueError as error:
        raise SignatureError("The body is no JSON.") from error


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("The secret is none: it begins with whsec_.")
    return key


def _is_signed(key: bytes, signatures: str, signed: bytes) -> bool:
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected.encode(), _bytes_of(one)) for one in signatures.split(" "))


def _text_of(given: object) -> str:
    """A header as the platforms have it: as text, as bytes, or missing."""
    if isinstance(given, (bytes, bytearray)):
        return given.decode("latin-1")
    return given if isinstance(given, str) else ""


def _bytes_of(text: str) -> bytes:
    """Also of halves of characters, as which some platforms give bytes that are no UTF-8."""
    return text.encode(errors="surrogatepass")
