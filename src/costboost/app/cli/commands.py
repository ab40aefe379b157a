"""The commands of costboost as tables."""

from __future__ import annotations

from costboost.app.cli import checks
from costboost.app.cli import options as o
from costboost.app.cli.option import Command

FIT = Command(
    "fit",
    """
    Train a model on a file, and measure on held-out rows what its decisions cost.

    With --actions, the model that is written chooses the action of least expected cost. With
    --scheduler or --workers the rows stay on the workers of a Dask cluster; the model is the one
    that one machine trains on the same rows.
    """,
    (
        o.DATA, o.TARGET, *o.PROBLEM, *o.ACTIONS, o.SAMPLING, o.ALGORITHM, o.ROUNDS, *o.FITTING,
        *o.COMPUTING, *o.MEASURING, o.OUT_MODEL, o.REPORT, *o.PAGE, o.JSON, *o.READING, *o.CLUSTER,
    ),
    "costboost.app.cli.fit:run",
    checks.check_fit,
)  # fmt: skip
PREDICT = Command(
    "predict",
    """
    Write label, probability of the positive class and expected cost of every row, as CSV.

    With more than two classes there is a probability of each. With --actions, or if the model has
    actions, the action of least expected cost is written instead of the label. Rows are read and
    written in portions, so that files may be larger than memory. The workers of a Dask cluster
    (--scheduler, --workers) predict many files or row groups at a time, and write the same lines.
    """,
    (
        o.MODEL, o.DATA, o.PREDICTIONS, o.KEEP, *o.OTHER_COSTS, *o.ACTIONS, *o.CAPACITY,
        o.PREVALENCE, *o.LINES, *o.READING, *o.CLUSTER,
    ),
    "costboost.app.cli.predict:run",
    checks.check_files,
)  # fmt: skip
COMPARE = Command(
    "compare",
    "Compare algorithms on the same folds, by what their decisions cost.",
    (
        o.DATA, o.TARGET, o.ALGORITHMS, *o.COMPARING, *o.PROBLEM, o.ROUNDS, *o.COMPUTING, o.JSON,
        *o.READING,
    ),
    "costboost.app.cli.compare:run",
    checks.check_problem,
)  # fmt: skip
GOAL = Command(
    "goal",
    "Train a model that meets a goal, such as a recall of 0.95, at least cost.",
    (
        o.DATA, o.TARGET, *o.GOALS, *o.SURETY, *o.PROBLEM, o.ALGORITHM, o.ROUNDS, *o.COMPUTING,
        *o.MEASURING, o.OUT_MODEL, o.JSON, *o.READING,
    ),
    "costboost.app.cli.goal:run",
    checks.check_goal,
)  # fmt: skip
MONITOR = Command(
    "monitor",
    """
    Compare what a model costs on new rows with what was expected, with or without labels.

    Without labels: expected cost and savings, the prevalence, and features that have changed
    against the held-out rows of costboost fit. With labels: realised cost and calibration. Rows are
    read in portions, twice, so that files may be larger than memory.
    """,
    (
        o.MODEL, o.NEW_DATA, o.LABELS, o.ALARM, *o.OTHER_COSTS_OF_TWO,
        o.MONITOR_PAGE, o.UNIT, o.JSON, *o.READING,
    ),
    "costboost.app.cli.monitor:run",
    checks.check_files,
)  # fmt: skip
EXPLAIN = Command(
    "explain",
    "Show what a model looks at, and what each feature adds to what decides on a row.",
    (o.MODEL, o.EXPLAINED_DATA, *o.EXPLAINED, *o.OTHER_COSTS_OF_TWO, o.JSON, *o.READING),
    "costboost.app.cli.explain:run",
    checks.check_files,
)
EXPORT = Command(
    "export",
    """
    Write a model for other programs, as ONNX: scores, probabilities and decisions.

    Costs are inputs, for all rows or for each; those that are not given are the costs of the
    model. Needs costboost[onnx].
    """,
    (o.MODEL, *o.ONNX),
    "costboost.app.cli.export:run",
    checks.check_files,
)
REPORT = Command(
    "report",
    "Write an HTML report on a model and labelled rows that it has not seen.",
    (
        o.MODEL, o.DATA, o.OUT_PAGE, o.OTHER_TARGET, *o.OTHER_COSTS, *o.PAGE, o.SEED,
        *o.READING,
    ),
    "costboost.app.cli.report:run",
    checks.check_files,
)  # fmt: skip
ALGORITHMS = Command(
    "algorithms",
    """
    List the algorithms: the three properties of Nikolaou's Table 4, and when to take which.

    FGD: weights and steps descend one loss. Cost: decides for least expected cost.
    Asymmetry: the costlier class never counts less.
    """,
    (o.LISTED, o.JSON),
    "costboost.app.cli.algorithms:run",
)
COMMANDS = (FIT, PREDICT, COMPARE, GOAL, MONITOR, EXPLAIN, EXPORT, REPORT, ALGORITHMS)
"""In the order of the help."""
