"""The format of a file, found in its first bytes."""

from __future__ import annotations

from costboost.app.reading.errors import InputError
from costboost.app.reading.sources import HEAD, Source

FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; save the table as CSV",
    b"\xfd7zXZ": "packed with xz; unpack it, or pack it with gzip or zstd",
    b"SQLite format 3": "a database; export the table as CSV",
    b"%PDF": "a PDF",
    **dict.fromkeys(
        [b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95"],
        "a pickle, which could run any code when it is opened; save the table as CSV or Parquet",
    ),
}
MARKUP = (b"<!doctype", b"<html", b"<?xml")
BINARY = ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff" * 4, "stream"))
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def detect_format(source: Source) -> str:
    """The format of the bytes: csv, json, parquet, arrow (a file) or stream (of Arrow)."""
    head = source.bytes.peek(HEAD)
    if not head.strip():
        raise InputError(f"{source.name} is empty")
    for magic, what in FOREIGN.items():
        if head.startswith(magic):
            raise InputError(f"{source.name} is {what}")
    for magic, kind in BINARY:
        if head.startswith(magic):
            return kind
    if source.options.encoding == "utf-8":
        _check_text(head, source.name)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:20]
    start = text[:1]
    if text.lower().startswith(MARKUP):
        raise InputError(f"{source.name} is a page of HTML or XML, not a table")
    if start == b"[":
        raise InputError(f"{source.name} is a JSON list; write one object on each line instead")
    return "json" if start == b"{" else "csv"


def _check_text(head: bytes, name: str) -> None:
    if head.startswith(UTF_16):
        raise InputError(f"{name} is not UTF-8 text", "encoding", "utf-16")
    if b"\0" in head:
        raise InputError(f"{name} is neither text nor a table format that is read here")
