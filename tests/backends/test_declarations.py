"""The declarations of messages give what recovery and the kept histogram of Dask rely on."""

from __future__ import annotations

import inspect

from costboost.backends.dask.table import KEEPS_HISTOGRAM, PURE
from costboost.backends.order import NOTHING, Part, messages_of
from costboost.backends.protocol import Backend
from costboost.rows import Shard

MESSAGES = messages_of(Backend)
VECTORS = {
    name
    for name in MESSAGES
    if inspect.signature(getattr(Backend, name)).return_annotation in {"V", "V_co"}
}


def test_pure_messages_change_nothing() -> None:
    """Messages that return vectors are not looked up."""
    declared = {name for name, one in MESSAGES.items() if one.changes == NOTHING}
    assert declared - VECTORS == PURE - VECTORS


def test_the_histogram_is_kept_by_messages_that_leave_its_sums() -> None:
    """But for two that make no difference: other messages always follow."""
    declared = {name for name, one in MESSAGES.items() if not one.changes & Part.SUMS}
    assert KEEPS_HISTOGRAM - VECTORS - declared == {"set_weights"}
    assert declared - VECTORS - KEEPS_HISTOGRAM == {"count_copies"}


def test_shards_have_all_messages() -> None:
    """With arguments of the same names and defaults."""
    for name in MESSAGES:
        ours = inspect.signature(getattr(Shard, name)).parameters.values()
        theirs = inspect.signature(getattr(Backend, name)).parameters.values()
        assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs], name
