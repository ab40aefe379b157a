"""The page as text: complete, safe, with the numbers of the library."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report.examples import EXAMPLES, fixed, mixed, of_classes, of_rows, tumours
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import report
from costboost.algorithms import CLASSES
from costboost.app.report.markup import share

EMPTY = {"meta", "link", "input", "br"}


class Reader(HTMLParser):
    """Sees to it that every element is closed, and keeps what a test may look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def read(name: str, **other: Any) -> Reader:
    example = EXAMPLES[name]()
    return Reader(report.html(example.model, example.X, example.y, **example.options | other))


# ---- form ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_is_well_formed_and_on_its_own(name: str) -> None:
    page = read(name)
    assert len(set(page.ids)) == len(page.ids)
    links = [value for _, attributes in page.elements for key, value in attributes.items()
             if key in ("href", "src", "action", "data")]  # fmt: skip
    assert set(links) == {"data:,", "#main", "#origin"}
    assert "nan" not in page.text.lower().split()
    assert "None" not in page.text.split()


@pytest.mark.parametrize("name", EXAMPLES)
def test_pictures_have_words_and_controls_have_names(name: str) -> None:
    page = read(name)
    pictures = [a for tag, a in page.elements if tag == "svg" and "aria-hidden" not in a]
    assert len(pictures) >= 6
    for one in pictures:
        assert one["role"] == "img"
        assert set(str(one["aria-labelledby"]).split()) <= set(page.ids)
    assert all(a["aria-label"] for tag, a in page.elements if tag == "input")
    headings = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(headings))
    assert all("scope" in a for tag, a in page.elements if tag == "th")


def test_nothing_that_users_write_becomes_html() -> None:
    bad = '</script><img src=x onerror="alert(1)">'
    page = read("mixed", title=bad, unit=f"<u>{bad}", trained_on={bad: bad})
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"img", "b", "i", "u"}
    assert sum(tag == "script" for tag, _ in page.elements) == 2
    assert bad in page.text
    assert "<b>a</b>" in page.text
    assert "cold & wet" in page.text


def test_the_description_of_the_training_is_shown() -> None:
    page = read("classes", trained_on={"file": "tumours.csv", "rows": 341}, title="Tumours")
    assert "tumours.csv" in page.text
    assert page.text.count("Tumours") == 2
    assert "trained on Monday" in read("classes", trained_on="trained on Monday").text


# ---- content -------------------------------------------------------------------------------------


def test_the_headline_is_the_library_s() -> None:
    example = of_classes()
    y_pred = example.model.predict(example.X, fn_cost=10, fp_cost=1)
    options = {"fn_cost": 10, "fp_cost": 1}
    cost = costboost.metrics.total_cost(example.y, y_pred, **options)
    trivial = cost / (1 - costboost.metrics.savings(example.y, y_pred, **options))
    text = read("classes", rows_are="tumours").text
    saved = f"{trivial - cost:g} EUR"
    assert f"Using the model saves {saved} on these tumours against always predicting" in text
    assert f"Saved{saved}95" in text.replace("\N{NO-BREAK SPACE}", "")
    assert f"the predictions cost {cost:g} EUR: " in text
    assert f"Cost without a model{trivial:g} EUR" in text


def test_a_model_that_costs_more_than_no_model() -> None:
    X, held, y, truth = tumours()
    model = costboost.algorithms.AdaBoostClassifier(n_estimators=1).fit(X, y)
    opposite = np.where(truth == "benign", "malignant", "benign")
    text = Reader(report.html(model, held, opposite)).text
    assert re.search(
        r"The model loses [\d.,]+ units of cost on these rows against always predicting "
        "malignant; the data are enough to be sure.",
        text,
    )


def test_shapes_are_exact_for_stumps_only() -> None:
    assert "drawn here exactly" in read("classes").text
    assert "partial dependence" in read("mixed").text


def test_costs_of_training_are_the_default() -> None:
    example = fixed()
    options = report.html(example.model, example.X, example.y, fn_cost=5, fp_cost=1)
    assert report.html(example.model, example.X, example.y) == options


def test_the_page_is_the_same_every_time() -> None:
    one, other = (
        report.html(mixed().model, mixed().X, mixed().y, **mixed().options) for _ in range(2)
    )
    assert one == other


CLASSIFIERS = [cls.__name__ for cls in CLASSES]


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore")
def test_every_classifier_has_a_report(name: str) -> None:
    X, held, y, truth = tumours()
    model = getattr(costboost.algorithms, name)(n_estimators=5, random_state=0)
    model.fit(X.iloc[:, :4], y)
    page = Reader(report.html(model, held.iloc[:, :4], truth, fn_cost=3))
    assert name in page.text


@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup", "linear", "logistic", "wrapped"])
def test_every_learner_has_a_report(estimator: str) -> None:
    X, held, y, truth = tumours()
    learner = DecisionTreeClassifier(max_depth=1) if estimator == "wrapped" else estimator
    cls = (
        costboost.algorithms.LogitBoostClassifier
        if estimator == "linear"
        else costboost.algorithms.AdaMECClassifier
    )
    model = cls(n_estimators=5, estimator=learner).fit(X, y)
    page = Reader(report.html(model, held, truth, fn_cost=3))
    assert ("No pictures here" in page.text) == (estimator == "wrapped")


def test_sparse_rows() -> None:
    X, held, y, truth = tumours()
    model = costboost.algorithms.AdaMECClassifier(n_estimators=5).fit(
        sparse.csr_array(X.to_numpy()), y
    )
    Reader(report.html(model, sparse.csr_array(held.to_numpy()), truth))


@pytest.mark.parametrize("method", ["threshold", "refit"])
def test_a_goal_and_a_search_have_reports(method: str) -> None:
    X, held, y, truth = tumours()
    inner = costboost.algorithms.AdaC2Classifier(n_estimators=5)
    costs = {"fn_costs": [1.0, 2.0], "fn_cost": 5.0, "random_state": 0}
    goal = costboost.OperatingPointClassifier(inner, at_least=0.9, method=method, **costs)
    for model in (goal.fit(X, y), costboost.CostSearchCV(inner, **costs).fit(X, y)):
        page = Reader(report.html(model, held, truth, fn_cost=5, fp_cost=1))
        wrong = np.where(truth == "malignant", 5, 1) @ (model.predict(held) != truth)
        assert f"the predictions cost {wrong:g}:" in page.text
        assert "AdaC2Classifier" in page.text
        assert "fixed after training" in page.text


def test_no_round_at_all() -> None:
    X, y = np.zeros((20, 2)), np.array([0, 1] * 10)
    with pytest.warns(UserWarning, match="added no learner"):
        model = costboost.algorithms.AdaMECClassifier().fit(X, y)
    page = Reader(report.html(model, X, y, fn_cost=2))
    assert "the ensemble is a constant" in page.text


def test_two_rows_will_do() -> None:
    example = of_classes()
    rows = [int(np.flatnonzero(example.y == label)[0]) for label in ("malignant", "benign")]
    Reader(report.html(example.model, example.X.iloc[rows], example.y[rows]))


# ---- files and mistakes --------------------------------------------------------------------------


def test_write_gives_the_path_and_replaces_the_file(tmp_path: Path) -> None:
    example, path = of_rows(), tmp_path / "out.html"
    path.write_text("old")
    assert report.write(path, example.model, example.X, example.y, **example.options) == path
    assert path.read_text("utf-8") == report.html(
        example.model, example.X, example.y, **example.options
    )
    assert [one.name for one in tmp_path.iterdir()] == ["out.html"]


def test_a_mistake_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    path.write_text("old")
    with pytest.raises(ValueError, match="fn_cost must be above 0"):
        report.write(path, of_rows().model, of_rows().X, of_rows().y, fn_cost=0)
    assert path.read_text() == "old"
    with pytest.raises(OSError, match="cannot be written"):
        report.write(tmp_path / "no" / "out.html", of_rows().model, of_rows().X, of_rows().y)


def test_bad_input() -> None:
    example = of_classes()
    X, y = example.X, example.y
    with pytest.raises(ValueError, match="every row that counts is of one class"):
        report.html(example.model, X[y == "benign"], y[y == "benign"])
    with pytest.raises(ValueError, match="y contains 'other', but the classes of the model are"):
        report.html(example.model, X, np.full(len(y), "other"))
    with pytest.raises(ValueError, match="X has 10 rows, but y has"):
        report.html(example.model, X[:10], y)
    with pytest.raises(ValueError, match="got DecisionTreeClassifier"):
        report.html(DecisionTreeClassifier().fit(X, y), X, y)
    with pytest.raises(ValueError, match="one for each of the"):
        report.html(example.model, X, y, fn_cost=[1, 2])
    with pytest.raises(ValueError, match="zero for every row"):
        report.html(example.model, X, y, sample_weight=np.zeros(len(y)))


def test_no_round_is_recommended_on_test_rows() -> None:
    page = read("classes")
    assert "Do not choose the number of rounds by it" in page.text
    assert "the least" not in page.text
    assert not re.search(r"after round \d", page.text)


def test_all_weak_learners_of_an_average_are_named() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    clf = costboost.CostBoostClassifier(random_state=0).fit(X[:400], y[:400])
    shares = {name: part for name, part in clf.shares_.items() if part > 0}
    assert len(shares) > 1
    text = report.html(clf, X[400:], y[400:])
    assert "<dt>weak learner</dt><dd>average of " in text
    for name, part in shares.items():
        assert f"{name} {share(part)}" in text
    one = costboost.algorithms.AdaMECClassifier(n_estimators=3, estimator="tree").fit(
        X[:400], y[:400]
    )
    assert "<dt>weak learner</dt><dd>tree</dd>" in report.html(one, X[400:], y[400:])
