"""Distributions of margins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import LineDisplay, Look, maker
from costboost.app.plots.numbers.bands import Band
from costboost.app.plots.numbers.labelled_rows import read_rows
from costboost.app.plots.numbers.margins import (
    Distribution,
    check_rounds,
    margin_distributions,
    margins_at,
    mean_margin_distributions,
)
from costboost.app.plots.numbers.predictions import name_of, positive_class
from costboost.app.plots.numbers.runs import runs_of
from costboost.metrics.checks import check_numbers


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class MarginDistributionDisplay(LineDisplay):
    r"""Cumulative distribution of the normalised margins.

    .. math:: \frac{y_i F(x_i)}{\sum_t |\alpha_t|} \in [-1, 1]

    The height at margin 0 is the share of rows that the votes get wrong. A curve further right is
    a clearer vote; one that rises steeply near 0 has learners that contradict one another, which
    Nikolaou et al. observe in algorithms that swap the asymmetry of the costs.

    Use it to see whether more rounds still widen the margins, and how costs affect either class.
    It shows neither probabilities nor the decisions of a classifier that applies costs after
    training, such as AdaMEC: its margins are those of AdaBoost.

    Create it with ``from_estimator``, ``from_predictions`` or ``from_cv_results``.

    Parameters
    ----------
    distributions : list of Distribution
        Each with ``margin`` and ``share``, possibly ``lower``, ``upper`` and ``n_runs``, and the
        ``round`` and the class (``positive``) of the rows, both None for all.
    {class_names}
    {classifier_name}

    Attributes
    ----------
    {axes}
    lines_ : list of matplotlib Line2D
        The curves.
    bands_ : list
        The bands, or None for a curve without one.

    References
    ----------
    R. E. Schapire, Y. Freund, P. Bartlett, W. S. Lee, "Boosting the margin: a new explanation for
    the effectiveness of voting methods", Annals of Statistics 26, 1998. N. Nikolaou et al.,
    "Cost-sensitive boosting algorithms: Do we really need them?", Machine Learning 104, 2016,
    figure 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost.plots import MarginDistributionDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> display = MarginDistributionDisplay.from_estimator(clf, X, y, rounds=[1, 3])
    >>> for one in display.distributions:
    ...     print(one.round, one.margin[:4].round(2), one.share[:4].round(3))
    1 [-1.  1.] [0.079 1.   ]
    3 [-0.45 -0.34 -0.2   0.2 ] [0.012 0.021 0.035 0.093]
    """

    distributions: Sequence[Distribution]
    classes: tuple[Any, Any] | None = None
    name: str | None = None

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        rounds: Any = None,
        per_class: bool = False,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the margins of a fitted ensemble.

        Parameters
        ----------
        estimator : fitted classifier
            An ensemble that :func:`costboost.metrics.margins` can read, as those of this library
            are. scikit-learn's AdaBoost divides its scores by the steps itself: pass them to
            ``from_predictions``.
        {rows}
        {rounds}
        {per_class}
        {weight}
        {pos_label}
        {drawing}

        {returns}
        """
        label = positive_class(estimator, pos_label)
        rows = read_rows(y, label, sample_weight)
        found = margins_at(estimator, X, y, check_rounds(rounds))
        return cls(
            distributions=margin_distributions(found, rows, per_class),
            classes=(rows.other, rows.label),
            name=name_of(estimator) if name is None else name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        per_class: bool = False,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the margins of scores.

        Parameters
        ----------
        {y_true}
        y_score : array of shape (n_samples,)
            Scores that are above 0 where the vote is for the positive class, from -1 to 1: the sum
            of the votes divided by the sum of their sizes.
        {per_class}
        {weight}
        {greater_label}
        {drawing}

        {returns}
        """
        rows = read_rows(y_true, pos_label, sample_weight)
        score = check_numbers("y_score", y_score)
        if score.shape != rows.positive.shape or not np.all(np.abs(score) <= 1):
            raise ValueError(
                "y_score must have one number from -1 to 1 for each row of y_true; divide scores "
                "by the sum of the votes' sizes"
            )
        margin = np.where(rows.positive, score, -score)
        return cls(
            distributions=margin_distributions({None: margin}, rows, per_class),
            classes=(rows.other, rows.label),
            name=name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        rounds: Any = None,
        per_class: bool = False,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the mean over the runs of a cross-validation, with 95% bands.

        The margins are those of the rows held out in each run.

        Parameters
        ----------
        {cv_results}
        {rounds}
        {per_class}
        {weight}
        {pos_label}
        {drawing}

        {returns}
        """
        runs = runs_of(cv_results, X, y)
        first = runs[0].estimator
        rows = read_rows(y, positive_class(first, pos_label), sample_weight)
        return cls(
            distributions=mean_margin_distributions(
                runs, X, y, rows, check_rounds(rounds), per_class
            ),
            classes=(rows.other, rows.label),
            name=name_of(first) if name is None else name,
        ).plot(ax=ax, **options)

    def _draw(self, ax: Any, look: Look) -> None:
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []
        for one in self.distributions:
            self._draw_distribution(ax, one, look)
        drawing.label(ax, "normalised margin", "share of rows at or below")
        drawing.trivial(ax, [0, 0], [0, 1], "wrong | right", ":")
        ax.set(xlim=(-1.03, 1.03), ylim=(-0.02, 1.02))

    def _draw_distribution(self, ax: Any, one: Distribution, look: Look) -> None:
        usual = drawing.style(len(drawing.drawn(ax, "curve")))
        if one.positive is not None:  # the second of a pair keeps the colour of the first
            usual = drawing.style(len(drawing.drawn(ax, "curve")) // 2)
            usual["linestyle"] = drawing.OF_CLASS[one.positive]
        x = np.concatenate([[-1.0], one.margin, [1.0]])
        y = np.concatenate([[0.0], one.share, [1.0]])
        if one.n_runs > 1:
            x, y = one.margin, one.share
        label = self._label(one, look.name)
        line = drawing.curve(ax, x, y, look.line_kw, drawstyle="steps-post", label=label, **usual)
        self.lines_.append(line)
        limits = Band(one.share, one.lower, one.upper, one.n_runs)
        self.bands_.append(drawing.band(ax, one.margin, limits, line, look.band_kw))

    def _label(self, one: Distribution, name: str | None) -> str | None:
        parts = [name]
        parts += [None if one.round is None else f"{one.round} rounds"]
        if one.positive is not None:
            which = "positive" if one.positive else "negative"
            parts += [
                which if self.classes is None else f"{which}: {self.classes[int(one.positive)]}"
            ]
        return ", ".join(part for part in parts if part) or None
