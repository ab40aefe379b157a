"""A parameter of an estimator: its default, the values that it may take, its description.

Nothing large is imported, so that the command line can describe its options at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

T = TypeVar("T")

NO_THREADS = "n_jobs must not be 0; None or -1 takes all threads, 1 only one"


class Kind(Protocol):
    """The values that a parameter may take."""

    @property
    def described(self) -> str:
        """The values as a docstring names them."""

    def check(self, name: str, value: Any) -> None:
        """Raise a ValueError if a parameter of this name cannot have the value."""


# ---- a parameter ---------------------------------------------------------------------------------


class Parameter(NamedTuple):
    """What is known of a parameter."""

    default: Any
    kind: Kind
    text: str
    """Its description; empty if it is described together with the parameter before it."""

    @property
    def summary(self) -> str:
        """The first sentence of the description, in one line."""
        return " ".join(self.text.split()).split(". ")[0].removesuffix(".") + "."


def parameter(default: T, kind: Kind, text: str = "") -> T:
    """A field of a dataclass that is a parameter; to the type checker, its default."""
    about = Parameter(default, kind, text)
    return field(default=default, metadata={"parameter": about})


@cache
def parameters_of(cls: Any) -> Mapping[str, Parameter]:
    """The parameters of a dataclass in the order of its signature.

    A class that gives a parameter another default need not describe it again.
    """
    declared = [vars(base).get("__dataclass_fields__", {}) for base in cls.__mro__]
    found = {}
    for one in fields(cls):
        known = (of_class[one.name].metadata for of_class in declared if one.name in of_class)
        about = next((metadata["parameter"] for metadata in known if metadata), None)
        if about is not None:
            found[one.name] = about._replace(default=one.default)
    return found


def check_parameters(estimator: Any) -> None:
    """Raise a ValueError if a parameter has a value that it may not take."""
    cls: Any = type(estimator)
    for name, about in parameters_of(cls).items():
        value = getattr(estimator, name)
        if value is not about.default:
            about.kind.check(name, value)


# ---- kinds ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """Whole numbers from the least to the greatest."""

    least: int
    most: int | None = None
    described: ClassVar[str] = "int"

    def check(self, name: str, value: Any) -> None:
        bad = not is_number(value, Integral) or value < self.least
        if bad or (self.most is not None and value > self.most):
            bounds = f"of at least {self.least}"
            if self.most is not None:
                bounds = f"from {self.least} to {self.most}"
            raise ValueError(f"{name} must be a whole number {bounds}, got {value!r}")


@dataclass(frozen=True)
class Number:
    """Finite numbers from the least, or above it, to the greatest."""

    least: float
    most: float = math.inf
    above: bool = False
    """Whether the least number itself is excluded."""
    too_large: str = "{name} must be at most {most:g}, got {value!r}"
    described: ClassVar[str] = "float"

    def check(self, name: str, value: Any) -> None:
        number = as_float(value)
        if not self.least <= number < math.inf or (self.above and number == self.least):
            relation = "above" if self.above else "of at least"
            raise ValueError(f"{name} must be a number {relation} {self.least}, got {value!r}")
        if number > self.most:
            raise ValueError(self.too_large.format(name=name, most=self.most, value=value))


@dataclass(frozen=True)
class Between:
    """Numbers from the least, or above it, to the greatest."""

    least: float
    most: float
    above: bool = False
    """Whether the least number itself is excluded."""
    words: str = "a number from {least:g} to {most:g}"
    described: ClassVar[str] = "float"

    def check(self, name: str, value: Any) -> None:
        bad = not is_number(value) or not self.least <= value <= self.most
        if bad or (self.above and value == self.least):
            words = self.words.format(least=self.least, most=self.most)
            raise ValueError(f"{name} must be {words}, got {value!r}")


class OneOf:
    """One of some texts."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    @property
    def described(self) -> str:
        """The choices in braces."""
        return "{" + ", ".join(f'"{one}"' for one in self.choices) + "}"

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in self.choices:
            listed = ", ".join(map(repr, self.choices))
            raise ValueError(f"{name} must be one of {listed}, got {value!r}")


class Flag:
    """True or False."""

    described = "bool"

    def check(self, name: str, value: Any) -> None:
        from numpy import bool_

        if not isinstance(value, (bool, bool_)):
            raise ValueError(f"{name} must be True or False, got {value!r}")


@dataclass(frozen=True)
class OrNone:
    """None, or another kind of value."""

    kind: Kind

    @property
    def described(self) -> str:
        """The other values and None; None comes first where it is one of some texts."""
        if not isinstance(self.kind, OneOf):
            return f"{self.kind.described} or None"
        *first, last = ["None", *(f'"{one}"' for one in self.kind.choices)]
        return f"{', '.join(first)} or {last}"

    def check(self, name: str, value: Any) -> None:
        if value is not None:
            self.kind.check(name, value)


@dataclass(frozen=True)
class Given:
    """Values of which a docstring names the kind, checked by a function or when they are used."""

    described: str
    by: Callable[[str, Any], None] | None = None

    def check(self, name: str, value: Any) -> None:
        if self.by is not None:
            self.by(name, value)


@dataclass(frozen=True)
class Estimator:
    """None, the name of a weak learner, or a scikit-learn classifier."""

    described: str
    names: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> None:
        if self.names and isinstance(value, str):
            OneOf(*self.names).check(name, value)
            return
        is_classifier = hasattr(value, "fit") and hasattr(value, "predict")
        if value is not None and (isinstance(value, type) or not is_classifier):
            names = f", one of {', '.join(map(repr, self.names))}," if self.names else ""
            raise ValueError(
                f"{name} must be None{names} or a scikit-learn classifier, got {value!r}"
            )


class Jobs:
    """A number of threads or processes: a whole number other than 0; None or -1 for all."""

    described = "int or None"

    def check(self, name: str, value: Any) -> None:
        if value is None:
            return
        if not is_number(value, Integral):
            raise ValueError(f"{name} must be a whole number, got {value!r}")
        if value == 0:
            raise ValueError(NO_THREADS)


class Random:
    """A source of random numbers, as scikit-learn takes it."""

    described = "int, RandomState or None"

    def check(self, name: str, value: Any) -> None:
        from sklearn.utils import check_random_state

        check_random_state(value)


# ---- kinds of values -----------------------------------------------------------------------------


def as_float(value: Any) -> float:
    """A number as a float; NaN if it is none, or too large."""
    try:
        return float(value) if is_number(value) else math.nan
    except OverflowError:
        return math.nan


def is_number(value: Any, kind: type = Real) -> bool:
    """Whether a value is a number, which True and False are not."""
    return isinstance(value, kind) and not isinstance(value, bool)


def is_share(value: Any) -> bool:
    """Whether a value is a share of rows or features, rather than a number of them."""
    return isinstance(value, Real) and not isinstance(value, Integral)


def is_given(split: Any) -> bool:
    """Whether the held-out rows are given by a splitter or by pairs."""
    return not isinstance(split, str) and (hasattr(split, "split") or hasattr(split, "__iter__"))
