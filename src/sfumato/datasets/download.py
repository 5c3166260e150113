"""Download a file once, check it, and cache it."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from pathlib import Path

from sfumato.errors import SourceError

TIMEOUT_SECONDS = 30
# Far above any file that is downloaded here; a server that sends more sends the wrong file.
MAX_BYTES = 64 << 20


def cache_folder() -> Path:
    """The user's cache folder for Sfumato; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "sfumato"


def fetch(url: str, sha256: str, folder: Path, hint: str) -> Path:
    """Find the file of ``url`` in ``folder``, downloading it first if it is missing or damaged; return its path.

    Parameters
    ----------
    url
        Where the file comes from; its last part is the name in the cache.
    sha256
        The checksum it must have.
    folder
        Where it is kept.
    hint
        What to do without it, for the end of every error message.
    """
    path = folder / url.rsplit("/", 1)[-1]
    if path.is_file() and _digest(path.read_bytes()) == sha256:
        return path
    content = _read(url, hint)
    if _digest(content) != sha256:
        raise SourceError(f"What {url} sent is not the expected file: its SHA-256 checksum differs. {hint}")
    try:
        _keep(content, path)
    except OSError as error:
        raise SourceError(f"The downloaded file cannot be kept as {path}: {error}. {hint}") from None
    return path


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(url: str, hint: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:
            content: bytes = response.read(MAX_BYTES)
            return content
    except (OSError, ValueError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        reason = str(getattr(error, "reason", None) or error).strip()
        raise SourceError(f"{url} cannot be downloaded: {reason}. {hint}") from None


def _keep(content: bytes, path: Path) -> None:
    from sfumato.io.atomic import atomic_path  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
