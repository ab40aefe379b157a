"""Fit, predict and memory of costboost against its peers, printed as Markdown tables.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import default
import memory
from printing import duration, environment, figure, insert, markdown, publish
from systems import ADABOOST, OURS, ROUNDS, SIZES, SYSTEMS, Size, System, installed
from timing import Best, input_checks, log, time_size

SMALLEST, SECOND = SIZES[0].name, SIZES[1].name
QUICK_REPEATS = 2
PEERS = ("lightgbm", "xgboost")


@dataclass
class Results:
    times: dict[str, dict[int, dict[str, Best]]] = field(default_factory=dict)  # size, threads
    memory: dict[int, dict[str, float]] = field(default_factory=dict)  # threads, system
    checks: float | None = None

    def best(self, what: str, size: str, system: str) -> float | None:
        """Seconds at the thread count that suits the system best."""
        rows = self.times.get(size, {}).values()
        return min((getattr(row[system], what) for row in rows if system in row), default=None)

    def ratio(self, what: str, size: str, peer: str) -> float | None:
        ours, theirs = self.best(what, size, ADABOOST), self.best(what, size, peer)
        return theirs / ours if ours and theirs else None


@dataclass(frozen=True)
class Goal:
    text: str
    value: float | None
    wanted: float
    unit: str
    at_most: bool = False

    def line(self) -> str:
        sense = "at most" if self.at_most else "at least"
        aim = f"goal: {self.text}, {sense} {self.wanted:g}{self.unit}"
        if self.value is None:
            return f"{aim}: not measured"
        reached = self.value <= self.wanted if self.at_most else self.value >= self.wanted
        verdict = "reached" if reached else "not reached"
        return f"{aim}: {figure(self.value)}{self.unit}, {verdict}"


def measure(
    systems: Sequence[System], sizes: Sequence[Size], threads: Sequence[int], repeats: int | None
) -> Results:
    results = Results()
    for size in sizes:
        times = repeats or size.repeats
        results.times[size.name] = time_size(size, systems, threads, times)
        if size.name == SMALLEST:
            results.checks = input_checks(size, times)
    if any(size.name == memory.SIZE.name for size in sizes):
        results.memory = {n: measure_memory(systems, n) for n in threads}
    return results


def measure_memory(systems: Sequence[System], n_threads: int) -> dict[str, float]:
    log(f"peak memory, threads: {n_threads}")
    return {system.name: memory.peak_bytes_per_cell(system, n_threads) for system in systems}


# Goals of the specification, for AdaBoost. Each system is judged at the thread count that suits it
# best: peers that lose time to a second thread on small data must not make us look good.


def goals(results: Results) -> Iterator[Goal]:
    def times_faster(what: str, size: str, peer: str, wanted: float) -> Goal:
        value = results.ratio(what, size, peer)
        return Goal(f"{what} {size}, {peer} / ours", value, wanted, "x")

    for size in SIZES:
        wanted = {SMALLEST: 1.0, SECOND: 5.0}.get(size.name, 8.0)
        for peer in ("LightGBM", "XGBoost"):
            yield times_faster("fit", size.name, peer, wanted)
    yield beyond_checks(results)
    for size in SIZES[1:]:
        yield times_faster("fit", size.name, "sklearn AdaBoost", 300.0)
    for size in SIZES:
        yield times_faster("predict", size.name, "LightGBM", 5.0)
    yield peak_memory(results)


def beyond_checks(results: Results) -> Goal:
    ours = results.best("fit", SMALLEST, ADABOOST)
    value = 1000 * (ours - results.checks) if ours and results.checks else None
    return Goal(f"fit {SMALLEST} beyond scikit-learn's checks", value, 2.5, " ms", at_most=True)


def peak_memory(results: Results) -> Goal:
    value = max((row[ADABOOST] for row in results.memory.values()), default=None)
    text = f"peak memory of a {memory.SIZE.name} fit above its input"
    return Goal(text, value, 1.3, " bytes per row x feature", at_most=True)


# Printing


def time_cell(what: str, ours: Best, best: Best | None, is_ours: bool) -> str:
    if best is None:
        return "-"
    value = getattr(best, what)
    text = ("~" if best.extrapolated else "") + duration(value)
    return text if is_ours else f"{text} ({figure(value / getattr(ours, what))}x)"


def time_table(what: str, results: Results, names: Sequence[str]) -> str:
    rows = [
        [size, str(n_threads), *(time_cell(what, row[OURS], row.get(n), n == OURS) for n in names)]
        for size, by_threads in results.times.items()
        for n_threads, row in by_threads.items()
    ]
    return markdown(["rows x features", "threads", *names], rows)


def memory_table(results: Results, names: Sequence[str]) -> str:
    rows = [
        [str(n_threads), *(f"{row[name]:.2f}" for name in names)]
        for n_threads, row in results.memory.items()
    ]
    return markdown(["threads", *names], rows)


def report(header: str, results: Results, names: Sequence[str]) -> list[str]:
    parts = [
        header,
        f"Fit, {ROUNDS} rounds of stumps (in brackets: time / {OURS}'s; ~: extrapolated).",
        time_table("fit", results, names),
        "Predict, on the training rows.",
        time_table("predict", results, names),
    ]
    if results.memory:
        parts += [
            f"Peak memory of a {memory.SIZE.name} fit above its input, bytes per row x feature.",
            memory_table(results, names),
        ]
    if results.checks is not None:
        parts.append(f"scikit-learn's input checks on {SMALLEST}: {duration(results.checks)}.")
    return parts


def goal_part(results: Results) -> list[str]:
    title = f"Goals of {ADABOOST}, each system at its better thread count (memory: at the worse)."
    return [title, "\n".join(f"- {goal.line()}" for goal in goals(results))]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    names = list(dict.fromkeys(size.name for size in [*SIZES, *default.SIZES]))
    peers = sorted(
        {system.name for system in SYSTEMS if system.kind != "ours"} | set(default.PEERS)
    )
    parser.add_argument("--sizes", nargs="+", choices=names, metavar="SIZE", help=", ".join(names))
    parser.add_argument("--repeats", type=int, help="repetitions (more for small sizes if absent)")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], help="thread counts")
    parser.add_argument(
        "--skip", nargs="+", choices=peers, default=[], metavar="SYSTEM", help=", ".join(peers)
    )
    parser.add_argument("--quick", action="store_true", help="the two small sizes, few repetitions")
    parser.add_argument(
        "--costboost", action="store_true", help="CostBoostClassifier against trees instead"
    )
    parser.add_argument(
        "--page", action="store_true", help="write the tables into docs/, and README.md"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    chosen = parser.parse_args()
    if any(count < 1 for count in [*chosen.threads, chosen.repeats or 1]):
        parser.error("--threads and --repeats must be positive")
    if chosen.quick:
        smallest = default.SIZES[:2] if chosen.costboost else SIZES[:2]
        chosen.sizes = chosen.sizes or [size.name for size in smallest]
        chosen.repeats = chosen.repeats or QUICK_REPEATS
    sizes = default.SIZES if chosen.costboost else SIZES
    chosen.sizes = [size for size in sizes if size.name in (chosen.sizes or names)]
    return chosen


def main() -> None:
    warnings.simplefilter("ignore")  # peers warn about feature names; it is not our subject
    chosen = arguments()
    if chosen.costboost:
        names = [name for name in default.NAMES if default.peer_of(name) not in chosen.skip]
        found = default.results(names, chosen.sizes, chosen.threads)
        parts = [environment(*PEERS, "catboost"), *default.tables(found)]
        if chosen.page:
            default.write_page(found, parts)
        publish(parts, chosen.out)
        return
    systems, messages = installed([s for s in SYSTEMS if s.name not in chosen.skip])
    for message in messages:
        log(message)
    header = environment(*PEERS)
    results = measure(systems, chosen.sizes, chosen.threads, chosen.repeats)
    parts = report(header, results, [system.name for system in systems])
    if chosen.page:
        insert("stumps", parts, default.TABLES)
    publish([*parts, *goal_part(results)], chosen.out)


if __name__ == "__main__":
    main()
