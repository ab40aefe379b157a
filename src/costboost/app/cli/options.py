"""The options of the commands: each once, in the groups that commands share."""

from __future__ import annotations

from costboost.app.cli import names
from costboost.app.cli.option import REPEATED, REQUIRED, Option, flag, in_panel

PROBLEM_PANEL = "The problem"
ACTION_PANEL = "Actions"
TRAINING_PANEL = "Training"
WRITING_PANEL = "Writing"

# ---- files ---------------------------------------------------------------------------------------

DATA = Option(
    "DATA",
    "CSV, TSV, JSON lines, Parquet or Arrow, also packed with gzip or zstd; - is standard input.",
    str,
    default=REQUIRED,
)
NEW_DATA = Option("NEW", "New rows, as DATA of predict.", str, default=REQUIRED, name="data")
EXPLAINED_DATA = Option(
    "[DATA]",
    "Rows to explain: how far features move the log-odds that decide, or the scores. With "
    "--feature, rows over which the effect of a feature in trees is averaged.",
)
MODEL = Option("MODEL", "A model file of costboost fit or costboost.save.", str, default=REQUIRED)
READING = in_panel(
    "Reading",
    Option("--encoding NAME", "Of the text in DATA.", str, default="utf-8"),
    Option(
        "--separator CHARACTER",
        "Between values, or 'tab'. Default: the one that the first line has most of.",
        str,
        default="",
    ),
    Option(
        "--decimal CHARACTER", "In numbers; , where they are written as 1234,5.", str, default="."
    ),
)
CLUSTER = in_panel(
    "On a cluster",
    Option(
        "--scheduler ADDRESS",
        "Of a Dask scheduler, whose workers read DATA: a file, a folder or a pattern such as "
        "'rows/*.parquet'.",
    ),
    Option(
        "--workers N", "Start so many Dask workers on this machine instead.", int | None, least=1
    ),
)

# ---- the problem ---------------------------------------------------------------------------------

TARGET = Option(
    "--target, -t COLUMN",
    "The column with the classes.",
    str,
    default=REQUIRED,
    panel=PROBLEM_PANEL,
)
OTHER_TARGET = Option("--target, -t COLUMN", "The classes. Default: as in training.")
POSITIVE = Option(
    "--positive LABEL",
    "The class that counts, against all others. Default: the greater of two, or all of several "
    "alike.",
    panel=PROBLEM_PANEL,
)
COSTS = in_panel(
    PROBLEM_PANEL,
    Option(
        "--fn-cost COST",
        "What a miss costs: a number, a range such as 4..40, or a column with the cost of each "
        "row.",
        str,
        default="1",
    ),
    Option("--fp-cost COST", "What a false alarm costs: a number, or a column.", str, default="1"),
    Option(
        "--tp-cost COST",
        "What a true positive costs, below 0 for a gain: a number, or a column. Default: 0.",
    ),
    Option(
        "--tn-cost COST",
        "What a true negative costs, below 0 for a gain: a number, or a column. Default: 0.",
    ),
    Option(
        "--costs FILE",
        "All costs in a file: JSON or CSV with fn_cost, fp_cost, tp_cost and tn_cost, numbers or "
        "columns, or a table as for --cost-matrix.",
        name="costs_file",
    ),
    Option(
        "--cost-matrix FILE",
        "What every mistake costs: a row for each true class, a column for each prediction, with "
        "or without their names.",
    ),
)
OTHER = "Default: as in training."
OTHER_COSTS_OF_TWO = (
    Option("--fn-cost COST", f"What a miss costs: number or column. {OTHER}"),
    Option("--fp-cost COST", f"What a false alarm costs: number or column. {OTHER}"),
    Option("--tp-cost COST", f"What a true positive costs: number or column. {OTHER}"),
    Option("--tn-cost COST", f"What a true negative costs: number or column. {OTHER}"),
    Option("--costs FILE", f"All costs in a file, JSON or CSV. {OTHER}", name="costs_file"),
)
OTHER_COSTS = (
    *OTHER_COSTS_OF_TWO,
    Option(
        "--cost-matrix FILE",
        f"What every mistake costs: rows are the truth, columns the prediction. {OTHER}",
    ),
)
FEATURES = in_panel(
    PROBLEM_PANEL,
    Option("--drop COLUMN", "A column to leave out. May be repeated.", REPEATED),
    Option(
        "--categorical COLUMN",
        "A column of numbers that are names, such as postcodes. Text always is. May be repeated.",
        REPEATED,
    ),
    flag("--costs-are-features", "Learn from the columns of --fn-cost and --fp-cost, too."),
    Option(
        "--groups COLUMN",
        "Rows with the same value belong together, such as those of a patient: they are held out "
        "together. The column is no feature.",
    ),
)
SAMPLING = Option(
    "--sampling LABEL=SHARE",
    "Share of the rows of a class that DATA has kept, if others were left out: probabilities are "
    "those of all rows. May be repeated.",
    REPEATED,
    panel=PROBLEM_PANEL,
)
PREVALENCE = Option(
    "--prevalence SHARE",
    "Share of the positive class among the rows, if it is another one than in training; "
    "LABEL=SHARE, repeated, for several classes; estimate finds it in DATA.",
    REPEATED,
)
PROBLEM = (POSITIVE, *COSTS, *FEATURES)

# ---- actions -------------------------------------------------------------------------------------

ACTIONS = in_panel(
    ACTION_PANEL,
    Option(
        "--actions FILE",
        "What actions cost: a row for each true class, a column for each action; cells are "
        "numbers, ranges such as 4..40 or columns of DATA.",
    ),
    Option("--reviewer RATES", "Recall and specificity of the action review, such as 0.9,0.95."),
)
CAPACITY = in_panel(
    ACTION_PANEL,
    Option(
        "--capacity ACTION=N",
        "The most rows of an action, such as review=50. May be repeated; holds all rows in memory.",
        REPEATED,
    ),
    Option("--per COLUMN", "Rows with the same value here have the capacity anew, such as a day."),
    flag("--prices", "Decide one by one, by the prices of capacity in the model."),
    Option(
        "--fit-prices FILE",
        "Also fit prices for --prices to DATA, past rows with --capacity and --per, and write the "
        "model with them.",
    ),
)

# ---- training and measuring ----------------------------------------------------------------------

ALGORITHM = Option(
    "--algorithm, -a NAME",
    "See costboost algorithms.",
    str,
    default=names.NAMES[0],
    panel=TRAINING_PANEL,
    complete=names.ALGORITHMS.complete,
    read=names.ALGORITHMS.find,
)
ALGORITHMS = Option(
    "--algorithm, -a NAME",
    f"May be repeated. Default: {', '.join(names.COMPARED)}.",
    REPEATED,
    panel=TRAINING_PANEL,
    complete=names.ALGORITHMS.complete,
    read=names.ALGORITHMS.find,
)
ROUNDS = Option(
    "--rounds N",
    "Rounds of boosting. Default: the algorithm's own.",
    int | None,
    panel=TRAINING_PANEL,
    least=1,
)
FITTING = in_panel(
    TRAINING_PANEL,
    Option(
        "--clip-costs QUANTILE",
        "Lower outlying costs of rows to this quantile in training, such as 0.99.",
        float | None,
    ),
    Option(
        "--increasing COLUMN",
        "A column whose greater values must never lower the probability of the positive class. "
        "May be repeated.",
        REPEATED,
    ),
    Option(
        "--decreasing COLUMN",
        "A column whose greater values must never raise it. May be repeated.",
        REPEATED,
    ),
    Option(
        "--interactions COLUMNS",
        "Which columns may interact: pairwise, none, or a group of them, separated by commas. A "
        "group may be repeated.",
        REPEATED,
    ),
)
SEED = Option(
    "--seed N", "For all that is drawn at random.", int, default=0, panel=TRAINING_PANEL, least=0
)
COMPUTING = in_panel(
    TRAINING_PANEL,
    Option("--seed N", "For all that is drawn at random.", int, default=0, least=0),
    Option("--jobs, -j N", "Threads; -1 is all. Default: as suits the data.", int | None),
)
MEASURING = in_panel(
    "Measuring",
    Option("--test FILE", "Rows to measure with, instead of some of DATA."),
    Option("--test-size SHARE", "Rows held out.", float, default=0.25),
    flag("--refit", "After measuring, train the model that is written on all rows."),
)
GOALS = in_panel(
    "The goal (one of them)",
    Option("--recall SHARE", "Find at least this share of the positive rows.", float | None),
    Option("--precision SHARE", "At least this share of the alarms must be true.", float | None),
    Option(
        "--fpr SHARE",
        "At most this share of the negative rows may be predicted positive.",
        float | None,
    ),
    Option("--budget COST", "At most this mean cost of a row.", float | None),
)
SURETY = (
    Option(
        "--margin ERRORS",
        "Meet it by so many standard errors, so that it holds on new rows more often.",
        float,
        default=0.0,
        least=0,
    ),
    Option(
        "--guarantee CONFIDENCE",
        "Confidence, such as 0.95, with which it must hold on new rows of the same kind. A third "
        "of the training rows is held out for it.",
        float | None,
    ),
)
COMPARING = (
    Option("--folds", "Parts of the rows, each held out once.", int, default=5, least=2),
    Option(
        "--baselines/--no-baselines",
        "Also decide without a model (one class for all rows; by costs of rows and class shares), "
        "by a logistic regression and, if it is installed, by LightGBM.",
        bool,
        default=True,
    ),
)

# ---- results -------------------------------------------------------------------------------------

OUT_MODEL = Option("--out, -o MODEL", "Where the model goes.", panel=WRITING_PANEL)
REPORT = Option("--report FILE", "Where an HTML report goes.", panel=WRITING_PANEL)
MONITOR_PAGE = Option("--report FILE", "Where an HTML page goes.")
OUT_PAGE = Option("--out, -o FILE", "Where the HTML page goes.", str, default="report.html")
TITLE = Option("--title TEXT", "Of the report.", panel=WRITING_PANEL)
UNIT = Option(
    "--unit TEXT", "Of the costs in the report, such as EUR.", str, default="", panel=WRITING_PANEL
)
PAGE = in_panel(
    WRITING_PANEL,
    Option("--title TEXT", "Of the report."),
    Option("--unit TEXT", "Of the costs in the report, such as EUR.", str, default=""),
    Option(
        "--rows-are TEXT",
        "What the rows are in the report, such as applications.",
        str,
        default="rows",
    ),
    Option(
        "--negative-action TEXT",
        "What the report calls the action for rows predicted negative, such as approving.",
    ),
    Option(
        "--positive-action TEXT",
        "What it calls the action for rows predicted positive, such as rejecting.",
    ),
)
JSON = flag("--json", "The result for programs.", panel=WRITING_PANEL)
PREDICTIONS = Option("--out, -o FILE", "Instead of standard output.")
KEEP = Option(
    "--keep COLUMN", "A column of DATA to repeat, such as an id. May be repeated.", REPEATED
)
LINES = (
    flag("--json", "JSON lines instead of CSV."),
    flag(
        "--safe-csv",
        "Put an apostrophe before repeated text and labels that a spreadsheet would take for a "
        "formula.",
    ),
    Option(
        "--max-rows ROWS",
        "Rows that are predicted at most, of a packed or binary file.",
        int,
        default=100000000,
        least=1,
    ),
)
LABELS = Option("--labels COLUMN", "The classes, if they are known. Rows may lack them.")
ALARM = Option(
    "--alarm MONEY",
    "The exit code is 3 if a change is beyond chance and deciding as before is expected to lose "
    "more, on all rows together, and 4 if that cannot be known, since features have changed in a "
    "way that no prevalence explains.",
    float | None,
    least=0,
)
EXPLAINED = (
    Option("--feature, -f COLUMN", "What this one adds, value by value."),
    Option("--row N", "Explain this row of DATA; the first is 1.", int | None, least=1),
    Option(
        "--class LABEL",
        "Of more than two classes, the one that is explained. Default: all, or that which a row "
        "is given.",
        name="label",
    ),
    Option("--top N", "Features shown. Default: 15, with --json all.", int | None, least=1),
)
ONNX = (
    Option("--out, -o FILE", "The ONNX file, such as model.onnx.", str, default=REQUIRED),
    Option(
        "--dtype TYPE",
        "Type of the numbers among the inputs: float64 or float32. Tests and decisions are those "
        "of predict on the same numbers.",
        str,
        default="float64",
    ),
    Option(
        "--inputs LAYOUT",
        "matrix: one input of all columns, categories as codes. columns: an input for each. auto: "
        "columns if there are categories.",
        str,
        default="auto",
    ),
    flag("--fixed-costs", "Decide by the costs of the model; otherwise costs are inputs."),
)
LISTED = Option(
    "[NAME]",
    "One of them, in detail.",
    complete=names.ALGORITHMS.complete,
    read=names.ALGORITHMS.find,
)
