"""The developer API for applications of third parties."""

from .aio import AsyncDeveloperApi, AsyncPages
from .aio_credentials import AsyncApplicationTokens, AsyncUserTokens
from .aio_feed import AsyncFeed
from .aio_login import AsyncLogin
from .client import DeveloperApi, Pages
from .credentials import ApplicationTokens, UserTokens
from .errors import (
    ApiError,
    ConflictError,
    ConnectionFailed,
    CursorExpiredError,
    ForbiddenError,
    InvalidRequestError,
    LoginRequiredError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    SignatureError,
    UnauthorizedError,
)
from .feed import Feed
from .login import Login
from .tokens import Application, PendingLogin, Tokens
from .webhooks import unwrap

__all__ = [
    "ApiError",
    "Application",
    "ApplicationTokens",
    "AsyncApplicationTokens",
    "AsyncDeveloperApi",
    "AsyncFeed",
    "AsyncLogin",
    "AsyncPages",
    "AsyncUserTokens",
    "ConflictError",
    "ConnectionFailed",
    "CursorExpiredError",
    "DeveloperApi",
    "Feed",
    "ForbiddenError",
    "InvalidRequestError",
    "Login",
    "LoginRequiredError",
    "NotFoundError",
    "Pages",
    "PendingLogin",
    "RateLimitedError",
    "ServerError",
    "SignatureError",
    "Tokens",
    "UnauthorizedError",
    "UserTokens",
    "unwrap",
]
