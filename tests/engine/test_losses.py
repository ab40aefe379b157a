"""Splits by the losses of real-valued leaves and of regressions, against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from engine import reference
from engine.inputs import criterion_of, search

from costboost._core.engine import _kernels as kernels

LEAVES = [reference.SQUARED, reference.COST_EXPONENTIAL, reference.ENTROPY]


def filled(rng: np.random.Generator, n: int, d: int, n_threads: int) -> tuple[Any, Any]:
    """Binned rows in the kernels and in the reference."""
    x = rng.integers(0, 9, (n, d)).astype(float)
    x[rng.random((n, d)) < 0.1] = np.nan
    positive = (rng.random(n) < 0.4).astype(np.uint8)
    cuts, n_cuts = kernels.find_cuts(x, None, 255, 1)
    pair = []
    for kind in (kernels.BinnedRows, reference.BinnedRows):
        rows = kind(n, int(positive.sum()), d, n_threads)
        rows.fill(x, cuts, n_cuts, np.zeros(d, dtype=np.uint8), positive)
        pair.append(rows)
    pair[0].prepare()
    return pair[0], pair[1]


def task(rng: np.random.Generator, criterion: int, regression: bool, d: int = 0) -> dict[str, Any]:
    """Sums in which every feature has the same totals; units that make the weights sum to 1."""
    n, d = int(rng.integers(2, 40)), d or int(rng.integers(1, 6))
    n_bins = rng.integers(1, 7, d).astype(np.int32)
    amount = rng.integers(1, 2**40, (2, n))
    if regression:
        amount[0] -= 2**39
    else:
        amount[0, rng.random(n) < 0.5] = 0
        amount[1, amount[0] > 0] = 0
    histogram, counts = np.zeros((2, 2, d, 256), dtype=np.int64)
    for f in range(d):
        bins = np.where(rng.random(n) < 0.2, 255, rng.integers(0, n_bins[f], n))
        for z in (0, 1):
            np.add.at(histogram, (z, f, bins), amount[z])
        np.add.at(counts, (0, f, bins), 1)
    total = float(amount[1].sum() if regression else amount.sum())
    return {
        "histogram": histogram,
        "unit_positive": 1 / total,
        "unit_negative": 1 / total,
        "n_bins": n_bins,
        "categorical": (rng.random(d) < 0.4).astype(np.uint8),
        "counts": counts if rng.random() < 0.4 else None,
        "min_samples_leaf": int(rng.choice([1, 2, 5])),
        "criterion": criterion,
        "smoothing": 1e-4,
        "relative": False,
        "cost_positive": float(rng.choice([0.3, 1.0, 7.0])),
        "cost_negative": float(rng.choice([0.5, 1.0, 4.0])),
    }


@pytest.mark.parametrize("criterion", [*LEAVES, reference.SQUARES])
def test_search(criterion: int) -> None:
    rng = np.random.default_rng(criterion)
    compared = 0
    for _ in range(800):
        one = task(rng, criterion, criterion == reference.SQUARES)
        slow = reference.search(**one)
        fast = search(**one, n_threads=1)
        names = ("feature", "bin", "missing_left", "quanta")
        assert [getattr(fast, k) for k in names] == [getattr(slow, k) for k in names]
        if slow.feature >= 0:
            compared += 1
            np.testing.assert_array_equal(fast.left, slow.left)
            assert fast.value == pytest.approx(slow.value, rel=1e-12, abs=1e-13)
    assert compared > 400


# ---- the short way through ordered bins ----------------------------------------------------------

SHORT = [
    reference.VOTE,
    reference.LEAF_ERROR,
    reference.EXPONENTIAL,
    reference.SQUARED,
    reference.COST_EXPONENTIAL,
    reference.SQUARES,
    reference.ENTROPY,
]


def plain_task(rng: np.random.Generator, criterion: int) -> dict[str, Any]:
    """Histograms of any size, some with ties everywhere, some with very large responses."""
    d, most = int(rng.integers(1, 5)), int(rng.choice([1, 2, 3, 8, 9, 64, 255]))
    n_bins = rng.integers(1, most + 1, d).astype(np.int32)
    n = int(rng.choice([2, 20, 400]))
    amount = rng.integers(1, 4 if rng.random() < 0.5 else 2**40, (2, n))
    response = 1.0
    if criterion == reference.SQUARES:
        amount[0] -= amount[0].mean().astype(np.int64)
        response = float(10.0 ** rng.choice([0, 3, 9]))
    else:
        amount[0, rng.random(n) < rng.choice([0.5, 0.95])] = 0
        amount[1, amount[0] > 0] = 0
    histogram = np.zeros((2, d, 256), dtype=np.int64)
    for f in range(d):
        bins = rng.integers(0, n_bins[f], n)
        if f and rng.random() < 0.4:  # a copy of another feature, but for a little perhaps
            n_bins[f], histogram[:, f] = n_bins[0], histogram[:, 0]
            a, b = rng.integers(0, n_bins[f], 2)
            moved = int(histogram[1, f].sum() * 10.0 ** rng.uniform(-12.5, -10))
            if histogram[1, f, a] > moved:
                histogram[1, f, [a, b]] += [-moved, moved] if a != b else [0, 0]
            continue
        for z in (0, 1):
            np.add.at(histogram, (z, f, bins), amount[z])
    total = float(amount[1].sum() if criterion == reference.SQUARES else amount.sum())
    smallest = 1e-12 if criterion == reference.COST_EXPONENTIAL else 0.0
    return {
        "histogram": histogram,
        "unit_positive": response / total,
        "unit_negative": 1 / total,
        "n_bins": n_bins,
        "categorical": np.zeros(d, dtype=np.uint8),
        "criterion": criterion,
        "smoothing": float(rng.choice([smallest, 1e-4, 0.1])),
        "relative": criterion != reference.SQUARES and bool(rng.random() < 0.5),
        "n_threads": 1,
        "cost_positive": 10.0 ** rng.uniform(-3, 3) if rng.random() < 0.8 else 1e200,
        "cost_negative": 10.0 ** rng.uniform(-3, 3) if rng.random() < 0.8 else 1e200,
    }


def everything_of(split: Any) -> tuple[Any, ...]:
    names = ("feature", "bin", "polarity", "missing_left", "quanta")
    return *(getattr(split, k) for k in names), split.value.hex(), split.left.tobytes()


@pytest.mark.parametrize("criterion", SHORT)
def test_row_counts_without_effect_change_nothing(criterion: int) -> None:
    rng = np.random.default_rng(100 + criterion)
    places = set()
    for _ in range(400):
        one = plain_task(rng, criterion)
        free = search(**one, counts=None, min_samples_leaf=1)
        counts = np.zeros_like(one["histogram"])
        counted = search(**one, counts=counts, min_samples_leaf=0)
        assert everything_of(free) == everything_of(counted)
        if one["n_bins"].max() > 1:
            assert free.feature >= 0 or criterion == reference.VOTE
        places.add((free.feature, free.bin))
    assert len(places) > 50


@pytest.mark.parametrize("criterion", SHORT)
def test_plain_features_agree_with_the_reference(criterion: int) -> None:
    rng = np.random.default_rng(criterion)
    for _ in range(40):
        one = plain_task(rng, criterion)
        one["unit_positive"] = one["unit_negative"]
        counts = np.zeros_like(one["histogram"])
        for f, n in enumerate(one["n_bins"].tolist()):
            counts[:, f, :n] = rng.integers(0, 3, (2, n))
        least = int(counts.sum(axis=(0, 2)).max() * rng.uniform(0, 0.6))
        for limits in ({"counts": None, "min_samples_leaf": 1},
                       {"counts": counts, "min_samples_leaf": least}):  # fmt: skip
            slow, fast = reference.search(**one, **limits), search(**one, **limits)
            names = ("feature", "bin", "polarity", "missing_left", "quanta")
            assert [getattr(fast, k) for k in names] == [getattr(slow, k) for k in names]


@pytest.mark.parametrize("criterion", [*SHORT, reference.JOINT])
def test_search_by_many_threads(criterion: int) -> None:
    """Features are divided among threads, some of them plain and some with missing values."""
    rng = np.random.default_rng(criterion)
    for _ in range(5):
        one = task(rng, criterion, criterion == reference.SQUARES, 200)
        plain = rng.random(200) < 0.5
        one["histogram"][:, plain, 0] += one["histogram"][:, plain, 255]
        one["histogram"][:, plain, 255] = 0
        found = [search(**one, n_threads=k) for k in (1, 2, 8)]
        assert found[0].feature >= 0
        assert len({everything_of(split) for split in found}) == 1


# ---- leaves --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "criterion", [reference.LEAF_ERROR, reference.EXPONENTIAL, *LEAVES, reference.SQUARES]
)
def test_table_losses(criterion: int) -> None:
    """Every bin up to the last one of a feature is a leaf, and so is the missing one."""
    rng = np.random.default_rng(criterion)
    for _ in range(60):
        one = task(rng, criterion, criterion == reference.SQUARES)
        names = ("histogram", "unit_positive", "unit_negative", "n_bins", "criterion", "smoothing")
        given = {k: one[k] for k in (*names, "cost_positive", "cost_negative")}
        assert_table_losses(given)
        if one["n_bins"][0] > 1:
            given["n_bins"] = np.maximum(given["n_bins"] - 1, 1)
            assert_table_losses(given)


def assert_table_losses(given: dict[str, Any]) -> None:
    costs = given["cost_positive"], given["cost_negative"]
    fast = kernels.table_losses(
        given["histogram"],
        (given["unit_positive"], given["unit_negative"]),
        kernels.Features(given["n_bins"], np.zeros(len(given["n_bins"]), dtype=np.uint8)),
        criterion_of(given["criterion"], given["smoothing"], *costs),
    )
    slow = reference.table_losses(**given)
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("criterion", [reference.LEAF_ERROR, reference.EXPONENTIAL, *LEAVES])
def test_leaf_loss(criterion: int) -> None:
    rng = np.random.default_rng(criterion)
    for _ in range(500):
        options = (criterion, float(rng.choice([1e-4, 0.1])), *rng.uniform(0.1, 9, 2).tolist())
        p, q = (rng.random(2) * rng.integers(0, 2, 2)).tolist()
        expected = reference.leaf_loss(*options, p, q)
        found = kernels.leaf_loss(criterion_of(*options), p, q)
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("d", range(1, 18))
def test_responses(d: int) -> None:
    rng = np.random.default_rng(d)
    for n_threads in (1, 2, 5):
        n = int(rng.integers(1, 60))
        fast, slow = filled(rng, n, d, n_threads)
        response, weight = rng.integers(-(2**30), 2**30, n) / 3, rng.integers(0, 2**30, n) / 7
        order = rng.permutation(n).astype(np.uint32)
        bounds = np.sort(rng.integers(0, n + 1, 4)).tolist()
        for rows, limits in ((None, None), (order, bounds)):
            found, expected = np.zeros((2, 2, d, 256), dtype=np.int64)
            node = None if rows is None else (rows, limits)
            fast.build_responses((response / 4, weight, (4.0, 1.0)), node, found, n_threads)
            slow.build_responses(response, weight, rows, limits, expected)
            np.testing.assert_array_equal(found, expected)


def test_responses_of_many_rows_by_many_threads() -> None:
    rng = np.random.default_rng(0)
    n, d = 40_000, 11
    fast, _ = filled(rng, n, d, 5)
    response, weight = rng.normal(0, 1e6, n), rng.uniform(0, 1e6, n)
    expected = np.zeros((2, d, 256), dtype=np.int64)
    for f in range(d):
        for z, values in enumerate((response, weight)):
            np.add.at(expected[z, f], fast.column(f), np.rint(values).astype(np.int64))
    for n_threads in (1, 2, 5):
        found = np.zeros_like(expected)
        fast.build_responses((response, weight, (1.0, 1.0)), None, found, n_threads)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n", [40, 900, 17_000])
@pytest.mark.parametrize(
    "kinds",
    [
        [1, 1, 2, 2, 2, 2, 2, 3, 3, 4, 5, 8, 16, 40, 255],
        [1, 1, 1, 1, 1, 255, 200],
        [2] * 20,
        [2, 2, 3, 3, 7, 7, 15, 15, 128, 128],
    ],
)
@pytest.mark.parametrize("missing_from", [1, 3, 100, 300])
def test_responses_of_features_with_few_bins(kinds: list[int], n: int, missing_from: int) -> None:
    """They are summed together; few rows, all rows, and more combinations of many rows."""
    rng = np.random.default_rng(n)
    n_bins = rng.permutation(kinds)
    d = len(n_bins)
    x = rng.integers(0, n_bins, (n, d)).astype(float)
    x[(rng.random((n, d)) < 0.1) & (n_bins >= missing_from)] = np.nan
    cuts = np.full((d, 255), np.inf)
    for f in range(d):
        cuts[f, : n_bins[f] - 1] = np.arange(n_bins[f] - 1) + 0.5
    rows = kernels.BinnedRows(n, n // 3, d, 3)
    positive = np.arange(n) < n // 3
    counts = (n_bins - 1).astype(np.int32)
    rows.fill(x, cuts, counts, np.zeros(d, np.uint8), positive.astype(np.uint8))
    rows.prepare()
    response, weight = rng.integers(-(2**40), 2**40, n) / 1.0, rng.integers(0, 2**40, n) / 1.0
    order = rng.permutation(n).astype(np.uint32)
    for listed, bounds in ((None, None), (order, [2, 7, 20, 30]), (order, [0, n // 3, n // 2, n])):
        chosen = (
            order if listed is None else np.r_[order[slice(*bounds[:2])], order[slice(*bounds[2:])]]
        )
        expected = np.full((2, d, 256), 77, dtype=np.int64)
        for f in range(d):
            for z, values in enumerate((response, weight)):
                expected[z, f, np.r_[: n_bins[f], 255]] = 0
                np.add.at(expected[z, f], rows.column(f)[chosen], values[chosen].astype(np.int64))
        for n_threads in (1, 3):
            found = np.full_like(expected, 77)
            node = None if listed is None else (listed, bounds)
            rows.build_responses((response, weight, (1.0, 1.0)), node, found, n_threads)
            np.testing.assert_array_equal(found, expected)


def test_splits_as_arrays() -> None:
    rng = np.random.default_rng(1)
    splits = [kernels.Split(f, 3, 1, f > 0, rng.integers(0, 2, 256)) for f in (4, -1, 0)]
    arrays = kernels.Splits(splits)
    assert len(arrays) == 3
    assert arrays.feature.tolist() == [4, -1, 0]
    assert arrays.bin.tolist() == [3, 3, 3]
    assert arrays.missing_left.tolist() == [1, 0, 0]
    for row, split in zip(arrays.left, splits, strict=True):
        np.testing.assert_array_equal(row, split.left)


# ---- row by row ----------------------------------------------------------------------------------


def softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(0.0, x)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.exp(-softplus(-x))


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("n", [1, 7, 1024, 50_000])
def test_likelihood(n: int, plain: bool, by_row: bool) -> None:
    rng = np.random.default_rng(n)
    label, start = rng.choice([-1.0, 1.0], n), rng.uniform(0.1, 2, n)
    score = rng.normal(0, 8, n)
    slope: Any = rng.uniform(0.5, 4, n) if by_row else 2.0
    offset: Any = rng.normal(0, 1, n) if by_row else -0.7
    share: Any = rng.uniform(0.5, 2, n) if by_row else None
    likelihood = kernels.Likelihood(label, start, share, slope, offset)
    limit = 23.0
    t = np.clip(slope * score + offset, -limit, limit)
    residual = np.where(label > 0, sigmoid(-t), -sigmoid(t))
    variance = sigmoid(t) * sigmoid(-t)
    used = variance
    if plain:
        u = np.clip(2 * score, -limit, limit)
        used = sigmoid(u) * sigmoid(-u)
    steep = 1.0 if share is None else share
    expected = start * steep * residual * used / variance, start * steep**2 * used
    for n_threads in (1, 2, 8):
        response, weight, losses, only = np.empty((4, n))
        greatest = likelihood.working(score, limit, plain, losses, response, weight, n_threads)
        np.testing.assert_allclose(response, expected[0], rtol=1e-13)
        np.testing.assert_allclose(weight, expected[1], rtol=1e-13)
        own = start * softplus(-label * (slope * score + offset))
        np.testing.assert_allclose(losses, own, rtol=1e-13)
        assert greatest == (losses.max(), np.abs(response).max(), weight.max())
        assert likelihood.loss(score, only, n_threads) == losses.max()
        np.testing.assert_array_equal(only, losses)


def test_losses_of_huge_scores_are_finite() -> None:
    label = np.array([1.0, -1.0, 1.0, -1.0])
    score = np.array([1e300, 1e300, -1e300, -1e300])
    likelihood = kernels.Likelihood(label, np.ones(4), None, 2.0, 0.0)
    response, weight, losses = np.empty((3, 4))
    likelihood.working(score, 23.0, False, losses, response, weight, 1)
    assert np.all(weight > 0)
    np.testing.assert_allclose(losses, [0, 2e300, 2e300, 0], atol=1e-300)


@pytest.mark.parametrize("n", [0, 1, 15, 1025, 70_000])
def test_sums_in_quanta(n: int) -> None:
    rng = np.random.default_rng(n)
    values, label, direction = rng.normal(size=(3, n))
    scale = 2.0**30
    assert kernels.greatest_size(values) == (np.abs(values).max() if n else 0)
    for n_threads in (1, 2, 8):
        total = kernels.sum_of_quanta(values, scale, n_threads)
        assert total == int(np.rint(values * scale).astype(np.int64).sum())
        against = kernels.weight_against(values, label, direction, scale, n_threads)
        wrong = values[label * direction < 0]
        assert against == int(np.rint(wrong * scale).astype(np.int64).sum())


@pytest.mark.parametrize("n", [1, 1500, 40_000])
def test_moments(n: int) -> None:
    rng = np.random.default_rng(n)
    x, response, weight = rng.uniform(-1, 1, (3, n))
    a, b = 2.0**20, 2.0**22
    expected = [weight * b * x, weight * b * x * x, response * a * x]
    for n_threads in (1, 2, 8):
        found = kernels.moments(x, (response, weight, (a, b)), n_threads)
        assert list(found) == [int(np.rint(part).astype(np.int64).sum()) for part in expected]


def test_look_up() -> None:
    rng = np.random.default_rng(5)
    fast, slow = filled(rng, 5000, 11, 2)
    table = rng.normal(size=256)
    for f in range(11):
        np.testing.assert_array_equal(fast.look_up(f, table), table[slow.column(f)])
    with pytest.raises(ValueError, match="feature 11 does not exist"):
        fast.look_up(11, table)


@pytest.mark.parametrize("values", [3, 1000])
def test_bin_means(values: int) -> None:
    """The only value of a bin, or the mean of its values; missing values are ignored."""
    rng = np.random.default_rng(values)
    bins = rng.integers(0, 3, 500).astype(np.uint8)
    x = bins * 1.5 if values == 3 else rng.normal(size=500)
    bins[:20], x[:20] = kernels.MISSING, np.nan
    means, single = kernels.bin_means(bins, x)
    assert single is (values == 3)
    for b in range(3):
        assert means[b] == pytest.approx(x[bins == b].mean(), rel=1e-13)
    assert np.isnan(means[3 : kernels.MISSING]).all()


# ---- lines ---------------------------------------------------------------------------------------


def test_line_losses() -> None:
    """Weighted squares explained by the best line in each feature's values."""
    rng = np.random.default_rng(0)
    d = 6
    n_bins = np.array([1, 2, 3, 17, 255, 40], dtype=np.int32)
    histogram, x = np.zeros((2, d, 256), dtype=np.int64), np.zeros((d, 255))
    for f, n in enumerate(n_bins.tolist()):
        histogram[0, f, :n] = rng.integers(-(2**40), 2**40, n)
        histogram[1, f, :n] = rng.integers(1, 2**40, n)
        x[f, :n] = rng.uniform(-1, 1, n)
    unit = 1e-3, 1e-2
    features = kernels.Features(n_bins, np.zeros(d, dtype=np.uint8))
    found = kernels.line_losses(histogram, unit, features, x)
    for f, n in enumerate(n_bins.tolist()):
        response, weight = unit[0] * histogram[0, f, :n], unit[1] * histogram[1, f, :n]
        root = np.sqrt(weight)
        columns = np.column_stack([root, root * x[f, :n]]) if n > 1 else root[:, None]
        solved = np.linalg.lstsq(columns, response / root, rcond=None)[0]
        assert found[f] == pytest.approx(-np.sum((columns @ solved) ** 2), rel=1e-9)


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(("n", "n_classes"), [(1, 2), (130, 3), (20_000, 26)])
def test_decisions_are_the_greatest_scores(n: int, n_classes: int, n_threads: int) -> None:
    """Of scores that differ by rounding errors only, the first one is the greatest."""
    rng = np.random.default_rng(n)
    code = rng.integers(0, n_classes, n).astype(np.int32)
    weight = rng.uniform(size=n)
    score = rng.normal(size=(n_classes, n))
    score[:, ::2] = score[:, ::2].round()
    score[1, ::4] += score.max(axis=0)[::4] * 1e-13
    loss = kernels.ScoreLoss(code, weight, None, n_classes, False)
    near = score >= score.max(axis=0) - 1e-12 * np.abs(score).max(axis=0)
    expected = np.zeros((n_classes, n_classes), dtype=np.int64)
    np.add.at(expected, (code, near.argmax(axis=0)), np.rint(weight * 1e6).astype(np.int64))
    np.testing.assert_array_equal(loss.decisions(score, 1e6, n_threads), expected)
    with pytest.raises(ValueError, match="score has shape"):
        loss.decisions(score[1:], 1e6, n_threads)
