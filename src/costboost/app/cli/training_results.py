"""What training has come to, for people or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from costboost._core.baselines import ABOUT_BY_COSTS, BY_COSTS
from costboost._core.wording import amount, percent
from costboost.app.cli import terminal
from costboost.app.cli.evaluation import Evaluation
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import inner_classifier
from costboost.app.cli.training_data import TrainingData
from costboost.decisions.reports import DecisionReport


@dataclass(frozen=True)
class TrainingResults:
    """A trained model, and what its decisions cost on held-out rows."""

    given: Given
    data: TrainingData
    model: Any
    n_trained: int
    evaluation: Evaluation
    acts: DecisionReport | None
    description: Mapping[str, Any]
    """Further facts about the model for JSON, and a line "text" for people."""

    @property
    def by_classes(self) -> bool:
        """Whether predictions of classes are of interest, and not only actions."""
        return self.acts is None or self.data.layout.states_costs

    def show(self) -> None:
        """Print the results."""
        if self.given.json:
            terminal.write_json(self.facts())
            return
        features = terminal.plural(len(self.data.layout.columns), "feature")
        terminal.write(
            f"{type(self.model).__name__}, {features}, trained on {self.n_trained:,} rows."
        )
        if self.by_classes:
            terminal.write(self.evaluation.opening)
        for text in clipping_notes(self.model):
            terminal.write(f"{text[0].upper()}{text[1:]}.")
        if "text" in self.description:
            terminal.write(self.description["text"])
        if self.by_classes:
            terminal.write()
            self.evaluation.show()
        if self.acts is not None:
            terminal.write()
            show_actions(self.acts)
            if not self.by_classes:
                terminal.cautions(self.evaluation.cautions.on_rows)

    def facts(self) -> dict[str, Any]:
        """The results for JSON."""
        layout, by_classes, evaluation = self.data.layout, self.by_classes, self.evaluation
        costs = {"cost_matrix": layout.matrix} if layout.multiclass else layout.cells
        clipped = _clipped_share(self.model)
        return {
            "data": self.data.name,
            "target": layout.target,
            "classifier": type(self.model).__name__,
            "n_trained": self.n_trained,
            "features": layout.feature_names,
            **(costs if by_classes else {}),
            **({} if clipped is None else {"clipped_share": clipped}),
            "held_out": evaluation.facts() if by_classes else evaluation.facts_on_rows(),
            **{key: value for key, value in self.description.items() if key != "text"},
            "model": self.given.out,
            "report": self.given.get("report"),
            **({} if self.acts is None else _facts_on_actions(self.acts)),
        }


def clipping_notes(model: Any) -> list[str]:
    """The share of the training rows whose costs were lowered, if any could be."""
    share = _clipped_share(model)
    if share is None:
        return []
    return [f"costs of {percent(share)} of the rows were lowered (--clip-costs)"]


def _clipped_share(model: Any) -> float | None:
    share: float | None = getattr(inner_classifier(model), "clipped_share_", None)
    return share


def _facts_on_actions(acts: DecisionReport) -> dict[str, Any]:
    """What the actions cost, and what they save compared with the best rule without a model."""
    without = {
        "decision": acts.against,
        "by_costs": acts.by_costs,
        "saved": acts.saved._asdict(),
    }
    return {"actions": acts.to_dict(), "without_model": without}


def show_actions(report: DecisionReport) -> None:
    """Print what the actions cost on held-out rows."""
    terminal.heading("actions on these rows")
    amounts = report.expected_cost, report.realised_cost, report.if_all
    terminal.table(
        ["action", "rows", "share", "expected cost", "realised cost", "cost if all"],
        [
            [
                action,
                amount(report.rows[k]),
                percent(report.share[k]),
                *(amount(each[k]) for each in amounts),
            ]
            for k, action in enumerate(report.actions)
        ],
        numbers=5,
    )
    if report.by_costs is not None:
        terminal.write(f"{BY_COSTS.capitalize()} costs {amount(report.by_costs)}. {ABOUT_BY_COSTS}")
    terminal.write(report.verdict)
