"""Signatures of certificates: Ed25519, by a key of the owner's, over everything else that a certificate says."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.common.textfiles import read_text, refuse_readable_by_others
from sfumato.errors import MissingExtraError, ParameterError

ALGORITHM = "Ed25519"
FIELD = "signature"
#: Bytes before what is signed, so that a signature of something else by the same key is none of a certificate.
PURPOSE = b"sfumato certificate\n"


def signed_bytes(record: Mapping[str, Any]) -> bytes:
    """What a signature covers: every field of a certificate but the signature, in one way of writing it."""
    said = {name: value for name, value in record.items() if name != FIELD}
    return PURPOSE + json.dumps(said, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def sign(record: Mapping[str, Any], key: str | os.PathLike[str]) -> dict[str, str]:
    """Sign a certificate with a private key, and name the public key that belongs to it."""
    private = _private_key(Path(key))
    made = private.sign(signed_bytes(record))
    return {
        "algorithm": ALGORITHM,
        "public_key": _text(private.public_key().public_bytes_raw()),
        "signature": _text(made),
    }


def is_signed_by(record: Mapping[str, Any], public_key: str | os.PathLike[str] | None = None) -> bool:
    """Whether a certificate has a signature by a public key; by default by the one that it names itself."""
    said = record.get(FIELD)
    if not isinstance(said, Mapping) or said.get("algorithm") != ALGORITHM:
        return False
    _, exceptions, ed25519 = _cryptography()
    owner = None if public_key is None else _public_key(Path(public_key))
    try:
        named = ed25519.Ed25519PublicKey.from_public_bytes(base64.b64decode(said["public_key"], validate=True))
        expected = named if owner is None else owner
        expected.verify(base64.b64decode(said["signature"], validate=True), signed_bytes(record))
    except (exceptions.InvalidSignature, KeyError, TypeError, ValueError):
        return False
    return bool(expected.public_bytes_raw() == named.public_bytes_raw())


def can_check() -> bool:
    """Whether the library is there that checks signatures."""
    try:
        _cryptography()
    except MissingExtraError:
        return False
    return True


def _private_key(path: Path) -> Any:
    serialization, _, ed25519 = _cryptography()
    refuse_readable_by_others(path, "private key")
    text = read_text(path, "The private key", ParameterError)
    try:
        found = serialization.load_pem_private_key(text.encode(), None)
    except TypeError:
        raise ParameterError(f"The private key {path} has a password. Sign with one that has none.") from None
    except Exception:  # the library has errors of its own for every kind of damage
        found = None
    return _of_its_kind(found, ed25519.Ed25519PrivateKey, path, "private key")


def _public_key(path: Path) -> Any:
    serialization, _, ed25519 = _cryptography()
    text = read_text(path, "The public key", ParameterError)
    try:
        found = serialization.load_pem_public_key(text.encode())
    except Exception:  # as above
        found = None
    return _of_its_kind(found, ed25519.Ed25519PublicKey, path, "public key")


def _of_its_kind(found: object, kind: type, path: Path, what: str) -> Any:
    if isinstance(found, kind):
        return found
    raise ParameterError(
        f"{path} is not a {what} of {ALGORITHM} in PEM. Make a pair with: openssl genpkey -algorithm ed25519 -out "
        "owner.key; openssl pkey -in owner.key -pubout -out owner.pub"
    )


def _cryptography() -> tuple[Any, Any, Any]:
    """Import the library for keys and signatures, or say how to install it."""
    try:
        from cryptography import exceptions  # noqa: PLC0415
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("Signing a certificate, and checking a signature,", "sign") from None
    return serialization, exceptions, ed25519


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
