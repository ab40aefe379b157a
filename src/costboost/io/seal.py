"""The seal of a model file: the checksum of all its bytes, at their end."""

from __future__ import annotations

import hashlib
import re

SEAL = b"costboost sha256 "
"""Beginning of the archive's comment. The SHA-256 of all bytes up to here follows, in hexadecimal
digits, and ends the file."""
N_DIGITS = 64
N_SEAL = len(SEAL) + N_DIGITS
SEALED = re.compile(re.escape(SEAL) + rb"[0-9a-f]{64}")

BEGINNING = re.compile(rb'PK\x03\x04.{26}manifest\.json\{"format": "costboost model"', re.DOTALL)
"""The first member of the archive is the manifest, not compressed."""
SHORTEST = 71
"""Number of bytes that `BEGINNING` matches."""
END = b"PK\x05\x06"
N_END = 22
"""Signature of the end of a zip archive, and its length up to the comment."""

FOREIGN = {
    b"PK": "it is a zip archive of another kind",
    b"\x80": "it looks like a pickle, which could run any code when it is opened",
    b"\x93NUMPY": "it is a NumPy array",
    b"\x1f\x8b": "it is compressed with gzip",
}


def sha256(data: bytes) -> str:
    """The SHA-256 checksum in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sealed(archive: bytes) -> bytes:
    """An archive with the digits at its end replaced by the checksum."""
    return archive[:-N_DIGITS] + sha256(archive[:-N_DIGITS]).encode()


def check_seal(data: bytes) -> None:
    """Raise a ValueError if a file is damaged, cut short, or not a model file."""
    ours = BEGINNING.match(data) is not None
    if not SEALED.fullmatch(data[-N_SEAL:]):
        raise ValueError(_broken(data) if ours else _foreign(data))
    if sha256(data[:-N_DIGITS]).encode() != data[-N_DIGITS:]:
        raise ValueError("is damaged: its check sum is not that of its bytes")


def _broken(data: bytes) -> str:
    """Message for a model file that does not end in its checksum."""
    end = data.rfind(END)
    surplus = len(data) - (end + N_END + N_SEAL)
    if end < 0 or surplus < 0:
        return "is cut short: its end is missing"
    return f"has {surplus} bytes behind its end" if surplus else "is damaged: its seal is broken"


def _foreign(data: bytes) -> str:
    """Message for a file that is not a model file."""
    if not data:
        return "is empty"
    if len(data) < SHORTEST:
        return f"has {len(data)} bytes only: it is cut short, or not a model file of costboost"
    what = [kind for start, kind in FOREIGN.items() if data.startswith(start)]
    return ": ".join(["is not a model file of costboost", *what])
