"""Writes the tables of algorithms.md from the rules themselves: ``python docs/algorithms.py``.

Every formula is the beginning of a docstring in ``costboost._core.rules``, every other cell a field
of a rule or an attribute of a public class. ``tests/test_algorithm_table.py`` compares the page
with what this program would write.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from costboost._core.parameters.boosting import BoostingParameters
from costboost._core.parameters.parameter import OneOf, parameters_of
from costboost._core.rules.discrete import adjustment, cost_of_mistakes
from costboost._core.rules.multinomial import MultinomialRule
from costboost._core.rules.record import (
    STARTS,
    DiscreteRule,
    NewtonRule,
    RealRule,
    ScoreRule,
    SeveralRule,
)
from costboost._core.rules.score_weighted import cumulative_costs
from costboost._core.rules.votes import VoteRule, class_costs, star
from costboost.algorithms import CLASSES
from costboost.classifiers.base import BoostingClassifier, rule_of

PAGE = Path(__file__).with_name("algorithms.md")
BEGIN = "<!-- tables:begin, written by docs/algorithms.py -->"
END = "<!-- tables:end -->"

CRITERIA = {
    "vote": "weighted error of the vote",
    "error": "sum of min(p, q)",
    "exponential": "sum of w e^(-y g)",
    "squared": "sum of w (y - g)^2",
    "cost exponential": "sum of w e^(-c y g)",
    "joint": "sum of e^(-c y F) after the vote's own step",
    "squares": "sum of w (z - g)^2",
}
"""What a criterion minimises; a kind that is not here stops the program."""


class Variant(NamedTuple):
    """A public class with one choice of the parameters that select a rule."""

    cls: type[BoostingClassifier]
    choice: str
    rule: Any


# ---- what there is -------------------------------------------------------------------------------


def classes() -> list[type[BoostingClassifier]]:
    """The public classifiers, in the order of the source."""
    return sorted(CLASSES, key=lambda c: (c.__module__, inspect.getsourcelines(c)[1]))


def variants(cls: type[BoostingClassifier]) -> list[Variant]:
    """One for each combination of the words that the class's own parameters may be."""
    shared = parameters_of(BoostingParameters)
    own = [name for name in parameters_of(cls) if name not in shared]
    words = [[(name, word) for word in choices(cls, name)] for name in own if choices(cls, name)]
    result = []
    for chosen in product(*words):
        text = ", ".join(f'`{name}="{word}"`' for name, word in chosen)
        result.append(Variant(cls, text, rule_of(cls(**dict(chosen)))))
    return result


def choices(cls: type[BoostingClassifier], parameter: str) -> list[str]:
    """The words that a parameter may be."""
    kind = parameters_of(cls)[parameter].kind
    return list(kind.choices) if isinstance(kind, OneOf) else []


def family(rule: Any) -> str:
    """Which of the page's tables has the rounds of the rule."""
    if isinstance(rule, DiscreteRule):
        return "joint" if rule.criterion.kind == "joint" else "discrete"
    return {RealRule: "real-valued", NewtonRule: "Newton", ScoreRule: "score-weighted"}[type(rule)]


# ---- cells ---------------------------------------------------------------------------------------


def opening(function: Callable[..., Any]) -> str:
    """The formula with which a docstring begins: all up to the first colon, semicolon or stop."""
    text = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
    formula = re.split(r"[:;](?=\s)|\.(?=\s|$)", text)[0]
    if not formula:
        raise ValueError(f"the docstring of {function.__qualname__} must begin with its formula")
    return formula


def code(text: str) -> str:
    """A formula in a cell of a table."""
    return "`" + text.replace("|", r"\|") + "`"


def formula(function: Callable[..., Any]) -> str:
    return code(opening(function))


def scaled(rule: Any) -> str:
    """How the rule scales costs; names of its parameters are replaced by their values."""
    if not (rule.costs_in_rounds or rule.start is STARTS["cost"]):
        return "not used"
    text = opening(rule.scale)
    for name, value in inspect.getclosurevars(rule.scale).nonlocals.items():
        text = re.sub(rf"\b{name}\b", f"{value:g}", text)
    return code(text.removeprefix("1 "))


def leaf(rule: Any) -> str:
    if rule.leaf_of_many is None:
        return formula(rule.leaf)
    return f"{formula(rule.leaf)}; of more than two leaves {formula(rule.leaf_of_many)}"


def leaf_update(rule: Any) -> str:
    """The update of a vote, with the value g of a leaf for the step times the vote."""
    text = opening(rule.update)
    if "alpha y h" not in text:
        raise ValueError(f"{rule.update.__qualname__}: where is the margin in {text!r}?")
    return code(text.replace("alpha y h", "y g"))


def probability(rule: Any) -> str:
    return code(("P = " if rule.link.in_votes else "logit P = ") + rule.link.formula)


def score(rule: Any) -> str:
    return code("F + alpha h") if rule.combine is None else formula(rule.combine)


def sample(rule: Any) -> str:
    """The factor of the loss of a row: its weight, times its cost if the loss is in costs."""
    return "s" if opening(rule.focus) == "w" else "s c"


def yes(flag: bool) -> str:
    return "yes" if flag else "no"


def where_costs_enter(rule: Any) -> str:
    if rule.cost_blind:
        return "nowhere"
    places = [
        (rule.start is STARTS["cost"], "start"),
        (rule.costs_in_rounds or opening(rule.focus) == "c w", "rounds"),
        (rule.decides_by_cost, "decision"),
    ]
    return ", ".join(name for here, name in places if here)


def row_costs_in_training(rule: Any) -> str:
    """What becomes of costs that belong to each row."""
    if rule.cost_blind or (rule.decides_by_cost and not rule.costs_in_rounds):
        return "nothing: training does not use costs"
    if isinstance(rule, NewtonRule):
        return "response, weight and loss of a row are those of its own two costs"
    if not rule.costs_in_rounds:
        return "they are initial weights; rows of a class and leaf stay one cell"
    if isinstance(rule, DiscreteRule):
        return "every row is a cell: step and update are sums and factors over rows"
    if rule.leaf_of_rows is None:
        return "every row is a cell for the update; leaf values depend on the weights only"
    return f"every row is a cell; value of a leaf: {formula(rule.leaf_of_rows)}"


def row_costs_in_predictions(rule: Any) -> str:
    if rule.decides_by_cost:
        return "threshold: the costs given to `predict`, else the training means"
    tilted = "tilt" in rule.link.formula and (
        rule.start is STARTS["cost"] or opening(rule.drift) != "0"
    )
    used = tilted or rule.scores_per_cost or "C+" in rule.link.formula
    return "link: the training means" if used else "no costs in the link"


# ---- tables --------------------------------------------------------------------------------------

Columns = dict[str, Callable[[Any], str]]

COMMON: Columns = {
    "costs c": scaled,
    "start": lambda rule: rule.start.name,
}
VOTES: Columns = {
    **COMMON,
    "D": lambda rule: formula(rule.focus),
    "the vote minimises": lambda rule: CRITERIA[rule.criterion.kind],
    "step alpha": lambda rule: formula(rule.step),
    "w is multiplied by": lambda rule: formula(rule.update),
}
ROUNDS: dict[str, Columns] = {
    "discrete": VOTES,
    "joint": VOTES,
    "real-valued": {
        **COMMON,
        "value g of a leaf": leaf,
        "e": lambda rule: f"{rule.criterion.smoothing:g}",
        "the split minimises": lambda rule: code(CRITERIA[rule.criterion.kind]),
        "w is multiplied by": leaf_update,
    },
    "Newton": {
        "start": COMMON["start"],
        "logit t": lambda rule: formula(rule.logit),
        "w": lambda rule: code(
            "s v, v = p (1 - p) at 2F"
            if rule.weight_of_twice_score
            else f"{sample(rule)} p (1 - p)"
        ),
        "w z": lambda rule: code("w y" if rule.expected else "w (y* - p) / (p (1 - p))"),
        "the learner minimises": lambda rule: code(CRITERIA[rule.criterion.kind]),
        "first step tried": lambda rule: formula(rule.first_step),
        "loss of a row, whose sum must not rise": lambda rule: code(
            f"{sample(rule)} / (1 + e^(y t))" if rule.expected else "s log(1 + e^(-y t))"
        ),
    },
    "score-weighted": {
        "start": COMMON["start"],
        "the vote minimises": lambda rule: CRITERIA[rule.criterion.kind],
        "step alpha": lambda rule: formula(rule.step),
        "F becomes": score,
        "w becomes": lambda rule: formula(rule.advance),
    },
}
"""What the rounds of a family are made of."""

READING: Columns = {
    "probability": probability,
    "drift": lambda rule: formula(rule.drift),
    "positive if": lambda rule: code("P > C- / (C+ + C-)" if rule.decides_by_cost else "F > 0"),
}
LEARNERS: Columns = {
    "its own": lambda rule: rule.learner,
    "takes": lambda rule: ", ".join(rule.learners),
}
ROW_COSTS: Columns = {
    "in training": row_costs_in_training,
    "in predictions": row_costs_in_predictions,
}


def table(chosen: Sequence[Variant], columns: Columns) -> str:
    """A row for each rule; those that do not differ share one."""
    cells = {variant: tuple(cell(variant.rule) for cell in columns.values()) for variant in chosen}
    labels: dict[tuple[str, ...], list[str]] = {}
    for variant, row in cells.items():
        siblings = {cells[other] for other in chosen if other.cls is variant.cls}
        label = variant.cls.rule.name
        if len(siblings) > 1:
            label = f"{variant.rule.name} ({variant.choice})"
        group = labels.setdefault(row, [])
        if label not in group:
            group.append(label)
    return lines(["algorithm", *columns], ([", ".join(n), *row] for row, n in labels.items()))


SEVERAL: Columns = {
    "C": lambda rule: code("1") if rule.factors is None else formula(rule.factors),
    "loss of a row, whose sum must not rise": lambda rule: code(
        "s sum of C[y, k] e^(F_k - F_y)"
        if rule.exponential
        else "s log(1 + sum of C[y, k] e^(F_k - F_y))"
    ),
    "the learners minimise": lambda rule: code(CRITERIA[rule.criterion.kind]),
    "first step tried": lambda rule: code("(K - 1) / K"),
    "probability": lambda rule: formula(rule.probability),
    "decision": lambda rule: "least expected cost" if rule.decides_by_cost else "greatest score",
}


SEVERAL_VOTES: Columns = {
    "price of a vote for k": lambda rule: code("w (" + opening(rule.price) + ")"),
    "step a": lambda rule: formula(rule.step),
    "w is multiplied by": lambda rule: formula(rule.update),
    "b": lambda rule: formula(rule.score_step),
    "F gains b times": lambda rule: formula(rule.codes),
    "probability": lambda rule: formula(rule.probability),
}


def several(kind: type[SeveralRule], columns: Columns) -> str:
    """A row for each rule of a kind with a score for each class."""
    rules = [cls.rule_of_several for cls in classes()]
    chosen = [rule for rule in rules if isinstance(rule, kind)]
    rows = ([rule.name, *(cell(rule) for cell in columns.values())] for rule in chosen)
    return lines(["algorithm", *columns], rows)


def lines(header: Sequence[str], rows: Any) -> str:
    written = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in written)


def properties() -> Iterator[list[str]]:
    for cls in classes():
        flags = (cls.fgd_consistent, cls.cost_consistent, cls.asymmetry_preserving)
        yield [
            f"`{cls.__name__}`",
            cls.rule.name,
            where_costs_enter(cls.rule),
            *map(yes, flags),
            cls.reference,
        ]


def tables() -> str:
    """Everything between the markers."""
    everyone = [variant for cls in classes() for variant in variants(cls)]
    parts = []
    for name, columns in ROUNDS.items():
        parts += [f"### Rounds of the {name} family"]
        members = [variant for variant in everyone if family(variant.rule) == name]
        parts += [table(members, columns)]
        if name == "discrete":
            parts += [f"Here {described(cost_of_mistakes)}; {described(adjustment)}."]
        if name == "score-weighted":
            parts += [f"Costs of AdaCC: {code(opening(cumulative_costs))}."]
    parts += ["### Rounds of the multinomial family, for more than two classes"]
    parts += [several(MultinomialRule, SEVERAL)]
    parts += ["### Rounds of votes, for more than two classes", several(VoteRule, SEVERAL_VOTES)]
    parts += [f"Here {described(class_costs)}; `G` is K / (K - 1) C*, and `{opening(star)}`."]
    parts += ["### From score to probability to decision", table(everyone, READING)]
    parts += ["### Weak learners", table(everyone, LEARNERS)]
    parts += ["### Costs of each row, by algorithm", table(everyone, ROW_COSTS)]
    header = ["class", "algorithm", "costs enter", "FGD-consistent", "cost-consistent"]
    header += ["asymmetry-preserving", "reference"]
    parts += ["### Properties and references", lines(header, properties())]
    return "\n\n".join(parts)


def described(function: Callable[..., Any]) -> str:
    """A docstring of the form "name: meaning." as part of a sentence."""
    name, meaning = (inspect.getdoc(function) or "").split(": ", 1)
    return f"`{name}` is {meaning.rstrip('.')}"


def page() -> str:
    """The page with its tables written anew."""
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
