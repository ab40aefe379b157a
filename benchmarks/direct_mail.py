"""Profit of a mailing by estimated donations, on the KDD Cup 1998 sample with gifts.

    COSTBOOST_DATA=... python benchmarks/direct_mail.py    # the table of docs/costs.md

The sample has all 4,843 donors of the cup's training file and as many of the 90,569 others, who
therefore count 18.7 times each, in training and in the profit. Every row is decided by models that
were not trained on it (five folds).
"""

from __future__ import annotations

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold

from costboost import CostBoostClassifier, Costs, EstimatedCostClassifier
from costboost.metrics import total_cost
from costboost_lab import datasets

OTHERS = 95_412 - 4_843
"""People in the cup's training file who did not donate."""
REGRESSORS = {
    "donations estimated": HistGradientBoostingRegressor(
        categorical_features="from_dtype", learning_rate=0.05, max_iter=80, min_samples_leaf=50
    ),
    "the mean donation for all": DummyRegressor(),
}


def main() -> None:
    """Print profit and number of letters of each way to decide."""
    data = datasets.load("kdd98_pva97nk")
    X, y = data.X, data.y
    gift = data.extra["TargetD"].to_numpy(float)
    weight = np.where(y == 1, 1.0, OTHERS / np.sum(y == 0))
    costs = Costs.direct_mail(gift)  # NaN where nobody donated
    paid = Costs.direct_mail(np.nan_to_num(gift))
    mailed = {"everyone": np.ones(y.size, dtype=int)}
    mailed |= {name: np.zeros(y.size, dtype=int) for name in REGRESSORS}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, held in folds.split(X, y):
        clf = CostBoostClassifier(fn_cost=15, fp_cost=0.68, random_state=0)
        clf.fit(X.iloc[train], y[train], sample_weight=weight[train])
        for name, regressor in REGRESSORS.items():
            own = EstimatedCostClassifier(FrozenEstimator(clf), regressor)
            own.fit(X.iloc[train], y[train], costs=costs.rows(train))
            mailed[name][held] = own.predict(X.iloc[held])
    often = X["GiftCnt36"].to_numpy() >= 5
    for name, rows in {"frequent donors": often, "others": ~often}.items():
        print(f"{name}: {y[rows].mean():.0%} gave, {np.nanmean(gift[rows]):.2f} USD on average")
    print(f"{'mailed':<28}{'letters':>10}{'profit, USD':>13}   more than by letters to everyone")
    gain = weight * (np.nan_to_num(gift) - 0.68)
    for name, letters in mailed.items():
        profit = -total_cost(y, letters, costs=paid, sample_weight=weight)
        more = gain * (letters - 1)
        half = 1.96 * np.sqrt(more.size * np.var(more, ddof=1))
        total = more.sum()
        print(
            f"{name:<28}{weight @ letters:>10,.0f}{profit:>13,.0f}"
            f"   {total:,.0f} ({total - half:,.0f} to {total + half:,.0f})"
        )


if __name__ == "__main__":
    main()
