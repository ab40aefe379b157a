"""The check sum that ends a file, and what a file is that does not have it."""

from __future__ import annotations

import hashlib
import re

SEAL = b"costboost sha256 "
"""The archive's comment begins so. The SHA-256 of all bytes up to here follows, in hexadecimal
digits, and ends the file."""
N_DIGITS = 64
N_SEAL = len(SEAL) + N_DIGITS
SEALED = re.compile(re.escape(SEAL) + rb"[0-9a-f]{64}")

BEGINNING = re.compile(rb'PK\x03\x04.{26}manifest\.json\{"format": "costboost model"', re.DOTALL)
"""The first member of the archive is the manifest, not compressed."""
SHORTEST = 71
"""Bytes that the beginning has."""
END = b"PK\x05\x06"
N_END = 22
"""What the end of a zip archive begins with, and its length up to the comment."""

FOREIGN = {
    b"PK": "it is a zip archive of another kind",
    b"\x80": "it looks like a pickle, which could run any code when it is opened",
    b"\x93NUMPY": "it is a NumPy array",
    b"\x1f\x8b": "it is compressed with gzip",
}


def sha256(data: bytes) -> str:
    """The check sum in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sealed(archive: bytes) -> bytes:
    """An archive whose comment ends in so many digits, with the right ones."""
    return archive[:-N_DIGITS] + sha256(archive[:-N_DIGITS]).encode()


def check_seal(data: bytes) -> None:
    """Tell a whole file from one that is damaged, cut short, or no model at all."""
    ours = BEGINNING.match(data) is not None
    if not SEALED.fullmatch(data[-N_SEAL:]):
        raise ValueError(_broken(data) if ours else _foreign(data))
    if sha256(data[:-N_DIGITS]).encode() != data[-N_DIGITS:]:
        raise ValueError("is damaged: its check sum is not that of its bytes")


def _broken(data: bytes) -> str:
    """What has become of a model that does not end as it should."""
    end = data.rfind(END)
    surplus = len(data) - (end + N_END + N_SEAL)
    if end < 0 or surplus < 0:
        return "is cut short: its end is missing"
    return f"has {surplus} bytes behind its end" if surplus else "is damaged: its seal is broken"


def _foreign(data: bytes) -> str:
    if not data:
        return "is empty"
    if len(data) < SHORTEST:
        return f"has {len(data)} bytes only: it is cut short, or not a model file of costboost"
    what = [said for start, said in FOREIGN.items() if data.startswith(start)]
    return ": ".join(["is not a model file of costboost", *what])
