"""The options of the commands: each once, in the groups that commands share."""

from __future__ import annotations

from costboost.app.cli import algorithm_names
from costboost.app.cli.option import REQUIRED, Option, flag, several

PROBLEM_PANEL = "The problem"
ACTION_PANEL = "Actions"
TRAINING_PANEL = "Training"
MEASURING_PANEL = "Measuring"
WRITING_PANEL = "Writing"
READING_PANEL = "Reading"
CLUSTER_PANEL = "On a cluster"
GOAL_PANEL = "The goal (one of them)"

# ---- files ---------------------------------------------------------------------------------------

DATA = Option(
    "data",
    "CSV, TSV, JSON lines, Parquet or Arrow, also packed with gzip or zstd; - is standard input.",
    "DATA",
    str,
    default=REQUIRED,
    argument=True,
)
NEW_DATA = Option(
    "data", "New rows, as DATA of predict.", "NEW", str, default=REQUIRED, argument=True
)
EXPLAINED_DATA = Option(
    "data",
    "Rows to explain: how far features move the log-odds that decide, or the scores. With "
    "--feature, rows over which the effect of a feature in trees is averaged.",
    "[DATA]",
    argument=True,
)
MODEL = Option(
    "model",
    "A model file of costboost fit or costboost.save.",
    "MODEL",
    str,
    default=REQUIRED,
    argument=True,
)
READING = (
    Option("encoding", "Of the text in DATA.", "NAME", str, READING_PANEL, "utf-8"),
    Option(
        "separator",
        "Between values, or 'tab'. Default: the one that the first line has most of.",
        "CHARACTER",
        str,
        READING_PANEL,
        "",
    ),
    Option(
        "decimal",
        "In numbers; , where they are written as 1234,5.",
        "CHARACTER",
        str,
        READING_PANEL,
        ".",
    ),
)
CLUSTER = (
    Option(
        "scheduler",
        "Of a Dask scheduler, whose workers read DATA: a file, a folder or a pattern such as "
        "'rows/*.parquet'.",
        "ADDRESS",
        panel=CLUSTER_PANEL,
    ),
    Option(
        "workers",
        "Start so many Dask workers on this machine instead.",
        "N",
        int | None,
        CLUSTER_PANEL,
        least=1,
    ),
)

# ---- the problem ---------------------------------------------------------------------------------

TARGET = Option(
    "target",
    "The column with the classes.",
    "COLUMN",
    str,
    PROBLEM_PANEL,
    REQUIRED,
    ("--target", "-t"),
)
OTHER_TARGET = Option(
    "target", "The classes. Default: as in training.", "COLUMN", flags=("--target", "-t")
)
POSITIVE = Option(
    "positive",
    "The class that counts, against all others. Default: the greater of two, or all of several "
    "alike.",
    "LABEL",
    panel=PROBLEM_PANEL,
)
COSTS = (
    Option(
        "fn_cost",
        "What a miss costs: a number, a range such as 4..40, or a column with the cost of each "
        "row.",
        "COST",
        str,
        PROBLEM_PANEL,
        "1",
    ),
    Option(
        "fp_cost",
        "What a false alarm costs: a number, or a column.",
        "COST",
        str,
        PROBLEM_PANEL,
        "1",
    ),
    Option(
        "tp_cost",
        "What a true positive costs, below 0 for a gain: a number, or a column. Default: 0.",
        "COST",
        panel=PROBLEM_PANEL,
    ),
    Option(
        "tn_cost",
        "What a true negative costs, below 0 for a gain: a number, or a column. Default: 0.",
        "COST",
        panel=PROBLEM_PANEL,
    ),
    Option(
        "costs_file",
        "All costs in a file: JSON or CSV with fn_cost, fp_cost, tp_cost and tn_cost, numbers or "
        "columns, or a table as for --cost-matrix.",
        "FILE",
        panel=PROBLEM_PANEL,
        flags=("--costs",),
    ),
    Option(
        "cost_matrix",
        "What every mistake costs: a row for each true class, a column for each prediction, with "
        "or without their names.",
        "FILE",
        panel=PROBLEM_PANEL,
    ),
)
OTHER = "Default: as in training."
OTHER_COSTS_OF_TWO = (
    *(
        Option(name, f"What a {outcome} costs: number or column. {OTHER}", "COST")
        for name, outcome in {
            "fn_cost": "miss",
            "fp_cost": "false alarm",
            "tp_cost": "true positive",
            "tn_cost": "true negative",
        }.items()
    ),
    Option("costs_file", f"All costs in a file, JSON or CSV. {OTHER}", "FILE", flags=("--costs",)),
)
OTHER_COSTS = (
    *OTHER_COSTS_OF_TWO,
    Option(
        "cost_matrix",
        f"What every mistake costs: rows are the truth, columns the prediction. {OTHER}",
        "FILE",
    ),
)
FEATURES = (
    several("drop", "A column to leave out. May be repeated.", "COLUMN", PROBLEM_PANEL),
    several(
        "categorical",
        "A column of numbers that are names, such as postcodes. Text always is. May be repeated.",
        "COLUMN",
        PROBLEM_PANEL,
    ),
    flag(
        "costs_are_features",
        "Learn from the columns of --fn-cost and --fp-cost, too.",
        PROBLEM_PANEL,
    ),
    Option(
        "groups",
        "Rows with the same value belong together, such as those of a patient: they are held out "
        "together. The column is no feature.",
        "COLUMN",
        panel=PROBLEM_PANEL,
    ),
)
SAMPLING = several(
    "sampling",
    "Share of the rows of a class that DATA has kept, if others were left out: probabilities are "
    "those of all rows. May be repeated.",
    "LABEL=SHARE",
    PROBLEM_PANEL,
)
PREVALENCE = several(
    "prevalence",
    "Share of the positive class among the rows, if it is another one than in training; "
    "LABEL=SHARE, repeated, for several classes; estimate finds it in DATA.",
    "SHARE",
)
PROBLEM = (POSITIVE, *COSTS, *FEATURES)

# ---- actions -------------------------------------------------------------------------------------

ACTIONS = (
    Option(
        "actions",
        "What actions cost: a row for each true class, a column for each action; cells are "
        "numbers, ranges such as 4..40 or columns of DATA.",
        "FILE",
        panel=ACTION_PANEL,
    ),
    Option(
        "reviewer",
        "Recall and specificity of the action review, such as 0.9,0.95.",
        "RATES",
        panel=ACTION_PANEL,
    ),
)
CAPACITY = (
    several(
        "capacity",
        "The most rows of an action, such as review=50. May be repeated; holds all rows in memory.",
        "ACTION=N",
        ACTION_PANEL,
    ),
    Option(
        "per",
        "Rows with the same value here have the capacity anew, such as a day.",
        "COLUMN",
        panel=ACTION_PANEL,
    ),
    flag("prices", "Decide one by one, by the prices of capacity in the model.", ACTION_PANEL),
    Option(
        "fit_prices",
        "Also fit prices for --prices to DATA, past rows with --capacity and --per, and write the "
        "model with them.",
        "FILE",
        panel=ACTION_PANEL,
    ),
)

# ---- training and measuring ----------------------------------------------------------------------

ALGORITHM = Option(
    "algorithm",
    "See costboost algorithms.",
    "NAME",
    str,
    TRAINING_PANEL,
    algorithm_names.NAMES[0],
    ("--algorithm", "-a"),
    complete=algorithm_names.complete,
)
ALGORITHMS = several(
    "algorithm",
    f"May be repeated. Default: {', '.join(algorithm_names.COMPARED)}.",
    "NAME",
    TRAINING_PANEL,
    flags=("--algorithm", "-a"),
    complete=algorithm_names.complete,
)
ROUNDS = Option(
    "rounds",
    "Rounds of boosting. Default: the algorithm's own.",
    "N",
    int | None,
    TRAINING_PANEL,
    least=1,
)
FITTING = (
    Option(
        "clip_costs",
        "Lower outlying costs of rows to this quantile in training, such as 0.99.",
        "QUANTILE",
        float | None,
        TRAINING_PANEL,
    ),
    several(
        "increasing",
        "A column whose greater values must never lower the probability of the positive class. "
        "May be repeated.",
        "COLUMN",
        TRAINING_PANEL,
    ),
    several(
        "decreasing",
        "A column whose greater values must never raise it. May be repeated.",
        "COLUMN",
        TRAINING_PANEL,
    ),
    several(
        "interactions",
        "Which columns may interact: pairwise, none, or a group of them, separated by commas. A "
        "group may be repeated.",
        "COLUMNS",
        TRAINING_PANEL,
    ),
)
SEED = Option("seed", "For all that is drawn at random.", "N", int, TRAINING_PANEL, 0, least=0)
COMPUTING = (
    SEED,
    Option(
        "jobs",
        "Threads; -1 is all. Default: as suits the data.",
        "N",
        int | None,
        TRAINING_PANEL,
        flags=("--jobs", "-j"),
    ),
)
MEASURING = (
    Option("test", "Rows to measure with, instead of some of DATA.", "FILE", panel=MEASURING_PANEL),
    Option("test_size", "Rows held out.", "SHARE", float, MEASURING_PANEL, 0.25),
    flag("refit", "After measuring, train the model that is written on all rows.", MEASURING_PANEL),
)
GOALS = (
    Option(
        "recall",
        "Find at least this share of the positive rows.",
        "SHARE",
        float | None,
        GOAL_PANEL,
    ),
    Option(
        "precision",
        "At least this share of the alarms must be true.",
        "SHARE",
        float | None,
        GOAL_PANEL,
    ),
    Option(
        "fpr",
        "At most this share of the negative rows may be predicted positive.",
        "SHARE",
        float | None,
        GOAL_PANEL,
    ),
    Option("budget", "At most this mean cost of a row.", "COST", float | None, GOAL_PANEL),
)
SURETY = (
    Option(
        "margin",
        "Meet it by so many standard errors, so that it holds on new rows more often.",
        "ERRORS",
        float,
        default=0.0,
        least=0,
    ),
    Option(
        "guarantee",
        "Confidence, such as 0.95, with which it must hold on new rows of the same kind. A third "
        "of the training rows is held out for it.",
        "CONFIDENCE",
        float | None,
    ),
)
COMPARING = (
    Option("folds", "Parts of the rows, each held out once.", None, int, default=5, least=2),
    Option(
        "baselines",
        "Also decide without a model (one class for all rows; by costs of rows and class shares), "
        "by a logistic regression and, if it is installed, by LightGBM.",
        None,
        bool,
        default=True,
        flags=("--baselines/--no-baselines",),
    ),
)

# ---- results -------------------------------------------------------------------------------------

OUT_MODEL = Option(
    "out", "Where the model goes.", "MODEL", panel=WRITING_PANEL, flags=("--out", "-o")
)
REPORT = Option("report", "Where an HTML report goes.", "FILE", panel=WRITING_PANEL)
MONITOR_PAGE = Option("report", "Where an HTML page goes.", "FILE")
OUT_PAGE = Option(
    "out", "Where the HTML page goes.", "FILE", str, default="report.html", flags=("--out", "-o")
)
TITLE = Option("title", "Of the report.", "TEXT", panel=WRITING_PANEL)
UNIT = Option("unit", "Of the costs in the report, such as EUR.", "TEXT", str, WRITING_PANEL, "")
PAGE = (
    TITLE,
    UNIT,
    Option(
        "rows_are",
        "What the rows are in the report, such as applications.",
        "TEXT",
        str,
        WRITING_PANEL,
        "rows",
    ),
    Option(
        "negative_action",
        "What the report calls the action for rows predicted negative, such as approving.",
        "TEXT",
        panel=WRITING_PANEL,
    ),
    Option(
        "positive_action",
        "What it calls the action for rows predicted positive, such as rejecting.",
        "TEXT",
        panel=WRITING_PANEL,
    ),
)
JSON = flag("json", "The result for programs.", WRITING_PANEL)
PREDICTIONS = Option("out", "Instead of standard output.", "FILE", flags=("--out", "-o"))
KEEP = several("keep", "A column of DATA to repeat, such as an id. May be repeated.", "COLUMN")
LINES = (
    flag("json", "JSON lines instead of CSV."),
    flag(
        "safe_csv",
        "Put an apostrophe before repeated text and labels that a spreadsheet would take for a "
        "formula.",
    ),
    Option(
        "max_rows",
        "Rows that are predicted at most, of a packed or binary file.",
        "ROWS",
        int,
        default=100_000_000,
        least=1,
    ),
)
LABELS = Option("labels", "The classes, if they are known. Rows may lack them.", "COLUMN")
ALARM = Option(
    "alarm",
    "The exit code is 3 if a change is beyond chance and deciding as before is expected to lose "
    "more, on all rows together, and 4 if that cannot be known, since features have changed in a "
    "way that no prevalence explains.",
    "MONEY",
    float | None,
    least=0,
)
EXPLAINED = (
    Option("feature", "What this one adds, value by value.", "COLUMN", flags=("--feature", "-f")),
    Option("row", "Explain this row of DATA; the first is 1.", "N", int | None, least=1),
    Option(
        "label",
        "Of more than two classes, the one that is explained. Default: all, or that which a row "
        "is given.",
        "LABEL",
        flags=("--class",),
    ),
    Option("top", "Features shown. Default: 15, with --json all.", "N", int | None, least=1),
)
ONNX = (
    Option(
        "out",
        "The ONNX file, such as model.onnx.",
        "FILE",
        str,
        default=REQUIRED,
        flags=("--out", "-o"),
    ),
    Option(
        "dtype",
        "Type of the numbers among the inputs: float64 or float32. Tests and decisions are those "
        "of predict on the same numbers.",
        "TYPE",
        str,
        default="float64",
    ),
    Option(
        "inputs",
        "matrix: one input of all columns, categories as codes. columns: an input for each. auto: "
        "columns if there are categories.",
        "LAYOUT",
        str,
        default="auto",
    ),
    flag("fixed_costs", "Decide by the costs of the model; otherwise costs are inputs."),
)
LISTED = Option(
    "name",
    "One of them, in detail.",
    "[NAME]",
    argument=True,
    complete=algorithm_names.complete,
)
