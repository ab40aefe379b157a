"""``explain``: what each feature adds to what decides, of rows and value by value."""

from __future__ import annotations

from costboost.app.cli.costs import refuse_other_costs, with_other_costs
from costboost.app.cli.explain_feature import explain_feature
from costboost.app.cli.explain_model import explain_model
from costboost.app.cli.explain_rows import explain_row, explain_rows
from costboost.app.cli.explained import ExplainedModel, explained_classes
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import load_model
from costboost.app.cli.unseen import print_unseen
from costboost.app.reading.errors import InputError
from costboost.decisions.actions import classifier_inside


def run(given: Given) -> None:
    acting, trained = load_model(given.model)
    model = classifier_inside(acting)
    layout = with_other_costs(given, model, trained)
    refuse_other_costs(acting, trained, layout)
    if given.data is None and given.row is not None:
        raise InputError("--row is a row of DATA: costboost explain MODEL DATA --row N")
    if given.row is not None and given.feature is not None:
        raise InputError("--feature is about a feature, --row about a row: leave one of them out")
    classes = explained_classes(model, layout, given.label)
    explained = ExplainedModel(given, model, layout, classes, layout != trained)
    if given.feature is not None:
        explain_feature(explained, given.feature)
    elif given.data is None:
        explain_model(explained)
    else:
        rows = explained.read_rows()
        print_unseen(model, layout, rows.X)
        if given.row is None:
            explain_rows(explained, rows.X)
        else:
            explain_row(explained, rows, given.row, by_costs=acting is model)
