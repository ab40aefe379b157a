"""Claims of Abe, Zadrozny & Langford (2004)."""

from __future__ import annotations

from functools import partial

from costboost.studies.abe import COMPARED, METHODS, SETS, paper_costs
from costboost.studies.register.abe_checks import (
    C45,
    SKEWED,
    SPLICE,
    TITLES,
    bags_are_two_thirds,
    boosting_bound,
    cheaper_with_fewer_rows,
    class_ratio,
    cost_of,
    expansion,
    fewer_rows,
    generally_better,
    iterative_weights,
    lemma,
    less_than,
    more_than,
    no_better_than_bagging,
    on_each,
    order_of_rows,
    rows_of,
    table_agrees_with_text,
    ten_times_less,
)
from costboost.studies.study import Claim

PAPER = "Abe et al. 2004"
STUDY = "abe2004"

_ordinal = partial(Claim, paper=PAPER, kind="ordinal", study=STUDY)
_numeric = partial(Claim, paper=PAPER, kind="numeric", study=STUDY)
_structural = partial(Claim, paper=PAPER, kind="structural", study=STUDY)


def _first_on(name: str, number: int) -> Claim:
    return _ordinal(
        name=f"A{number:02}",
        place="section 4, Table 2",
        statement=f"On {TITLES[name]} GBSE costs less than Bagging, AvgCost and MetaCost.",
        check=lambda frame: less_than(frame, name, "GBSE", COMPARED, C45),
    )


def _printed(name: str, number: int) -> Claim:
    cost, error = paper_costs().loc[(name, "GBSE"), ["cost", "standard_error"]]
    return _numeric(
        name=f"A{number:02}",
        place="Table 2",
        statement=f"GBSE costs {cost:g} on {TITLES[name]} (standard error {error:g}).",
        check=lambda frame: cost_of(frame, name, "GBSE", SPLICE if name == "splice" else ""),
    )


def _column(method: str, number: int) -> Claim:
    return _numeric(
        name=f"A{number:02}",
        place="Table 2",
        statement=f"The costs of {method} on the six data sets are those of Table 2.",
        check=on_each(lambda frame, name: cost_of(frame, name, method), list(SETS), C45),
    )


def _sizes(method: str, number: int) -> Claim:
    return _numeric(
        name=f"A{number:02}",
        place="Table 3",
        statement=f"The numbers of rows that {method} uses are those of Table 3.",
        check=on_each(lambda frame, name: rows_of(frame, name, method), list(SETS)),
    )


CLAIMS = [
    _ordinal(
        name="A01",
        place="abstract, section 4",
        statement=(
            "GBSE generally costs less than the representative methods Bagging, AvgCost and "
            "MetaCost."
        ),
        check=generally_better,
    ),
    *(_first_on(name, 2 + k) for k, name in enumerate((*SKEWED, "letter", "satellite"))),
    _ordinal(
        name="A07",
        place="section 4, Table 2",
        statement="On splice MetaCost costs less than GBSE.",
        check=lambda frame: less_than(frame, "splice", "MetaCost", ("GBSE",), ""),
    ),
    _ordinal(
        name="A08",
        place="section 4, Table 2",
        statement="On splice GBSE ranks second: it costs less than Bagging and AvgCost.",
        check=lambda frame: less_than(frame, "splice", "GBSE", ("Bagging", "AvgCost"), C45),
    ),
    _ordinal(
        name="A09",
        place="section 4",
        statement=(
            "GBSE is the best of the methods that the paper proposes: it costs less than IW and "
            "DSE on every data set."
        ),
        check=on_each(
            lambda frame, name: less_than(frame, name, "GBSE", ("IW", "DSE"), C45), list(SETS)
        ),
    ),
    _ordinal(
        name="A10",
        place="Table 2",
        statement=(
            "On the data sets with very unequal classes Bagging, which ignores costs, costs more "
            "than every other method."
        ),
        check=on_each(
            lambda frame, name: more_than(
                frame, name, "Bagging", [m for m in METHODS if m != "Bagging"], ""
            ),
            SKEWED,
        ),
    ),
    _ordinal(
        name="A11",
        place="Table 2",
        statement="On splice DSE costs most of all methods.",
        check=lambda frame: more_than(
            frame, "splice", "DSE", [m for m in METHODS if m != "DSE"], C45
        ),
    ),
    _ordinal(
        name="A12",
        place="Table 2",
        statement="On letter IW costs most of all methods.",
        check=lambda frame: more_than(
            frame,
            "letter",
            "IW",
            [m for m in METHODS if m != "IW"],
            "IW's costing draws from all rows here, while Bagging has a tenth of them",
        ),
    ),
    _ordinal(
        name="A13",
        place="Table 2",
        statement="On KDD-99 every other method costs more than ten times as much as GBSE.",
        check=ten_times_less,
    ),
    _ordinal(
        name="A14",
        place="Table 2",
        statement="On solar flare MetaCost is hardly better than Bagging (5317 and 5403).",
        check=no_better_than_bagging,
    ),
    *(_printed(name, 15 + k) for k, name in enumerate(SETS)),
    *(_column(method, 21 + k) for k, method in enumerate(list(METHODS)[:-1])),
    _ordinal(
        name="A26",
        place="section 4, Table 3",
        statement=(
            "On the data sets with very unequal classes AvgCost, DSE and GBSE use less than half "
            "of the rows that Bagging and MetaCost use."
        ),
        check=on_each(
            lambda frame, name: fewer_rows(frame, name, 2.0, ("AvgCost", "DSE", "GBSE")), SKEWED
        ),
    ),
    _ordinal(
        name="A27",
        place="section 1, section 4, Table 3",
        statement=(
            "On the data sets with very unequal classes GBSE uses less than a fifth of the rows "
            "that Bagging uses: drastically smaller samples."
        ),
        check=on_each(lambda frame, name: fewer_rows(frame, name, 5.0, ("GBSE",)), SKEWED),
    ),
    _ordinal(
        name="A28",
        place="abstract, section 4",
        statement=(
            "On the data sets with very unequal classes GBSE costs less than Bagging and MetaCost "
            "although it uses fewer rows."
        ),
        check=on_each(cheaper_with_fewer_rows, SKEWED),
    ),
    _ordinal(
        name="A29",
        place="Table 3",
        statement="On every data set DSE uses more rows than GBSE, and GBSE more than AvgCost.",
        check=on_each(order_of_rows, list(SETS)),
    ),
    *(_sizes(method, 30 + k) for k, method in enumerate(("AvgCost", "DSE", "GBSE"))),
    _numeric(
        name="A33",
        place="Table 1",
        statement="Class ratios of the six data sets, from 0.0001278 (KDD-99) to 0.9028 (letter).",
        check=on_each(
            class_ratio,
            list(SETS),
            "the annealing data that are public have 8 rows of the rarest class, the ratio printed "
            "is that of 9; the sample of KDD-99 is another",
        ),
    ),
    _structural(
        name="A34",
        place="Theorem 1",
        statement=(
            "If the weights of IW converge, the weighted error of its hypothesis is its mean cost."
        ),
        check=iterative_weights,
    ),
    _structural(
        name="A35",
        place="Theorem 2",
        statement=(
            "A hypothesis of least weighted error on the expanded sample of DSE is one of least "
            "cost on the rows."
        ),
        check=expansion,
    ),
    _structural(
        name="A36",
        place="Lemma 1",
        statement=(
            "The relational problem with positive and negative weights is a weighted binary "
            "classification problem."
        ),
        check=lemma,
    ),
    _structural(
        name="A37",
        place="Theorem 3",
        statement=(
            "Under the weak learning condition each round of GBSE-T multiplies the training cost "
            "by at most 1 - gamma alpha / k."
        ),
        check=boosting_bound,
    ),
    _structural(
        name="A38",
        place="section 4",
        statement="The paper's text about ranks of GBSE agrees with its Table 2.",
        check=table_agrees_with_text,
    ),
    _structural(
        name="A39",
        place="section 4, Table 3",
        statement=(
            "The bags of Bagging in Table 3 are the same share of the training rows on all data "
            "sets: the text mentions no exception."
        ),
        check=bags_are_two_thirds,
    ),
    Claim(
        name="A40",
        paper=PAPER,
        place="section 3.2",
        kind="ordinal",
        statement="In practice the weights of IW do not converge.",
        why_not="the paper gives neither a measure of convergence nor figures",
    ),
    Claim(
        name="A41",
        paper=PAPER,
        place="section 4",
        kind="ordinal",
        statement="MetaCost without relabelling costs no more than MetaCost with it.",
        why_not="the paper cites this from others and has no figures of its own",
    ),
    Claim(
        name="A42",
        paper=PAPER,
        place="section 3.4",
        kind="ordinal",
        statement="The samples of GBSE-T have more and more negative labels as rounds go on.",
        why_not="the samples of single rounds are not recorded",
    ),
]
