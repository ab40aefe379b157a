"""Options of a run over many sets: which sets, how many splits, and the CSV to go on with."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Defaults:
    """Defaults of the command line; ``quick`` are those of --quick."""

    sets: Sequence[str]
    repeats: int
    csv: Path
    quick_sets: Sequence[str]
    quick_repeats: int = 2

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        choice(parser, "--sets", self.sets, "only these data sets")
        parser.add_argument(
            "--repeats", type=int, help=f"splits of each set, {self.repeats} if absent"
        )
        parser.add_argument("--quick", action="store_true", help="a few small sets, few splits")
        parser.add_argument(
            "--csv",
            type=Path,
            metavar="FILE",
            help=f"where results are kept, {self.csv} if absent (nowhere with --quick)",
        )
        parser.add_argument("--resume", action="store_true", help="go on with what the CSV has")
        parser.add_argument(
            "--report", action="store_true", help="run nothing, show what the CSV has"
        )
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="write the Markdown here as well"
        )

    def settle(self, parser: argparse.ArgumentParser) -> argparse.Namespace:
        """Complete the options; refuse to overwrite an older CSV without --resume or --report."""
        chosen = parser.parse_args()
        if chosen.repeats is not None and chosen.repeats < 1:
            parser.error("--repeats must be positive")
        chosen.repeats = chosen.repeats or (self.quick_repeats if chosen.quick else self.repeats)
        chosen.csv = chosen.csv or (None if chosen.quick else self.csv)
        if chosen.csv and chosen.csv.exists() and not (chosen.resume or chosen.report):
            parser.error(
                f"{chosen.csv} exists: go on with it by --resume, or name another by --csv"
            )
        named = chosen.sets or (self.quick_sets if chosen.quick else self.sets)
        chosen.sets = [name for name in self.sets if name in named]
        return chosen


def choice(parser: argparse.ArgumentParser, flag: str, choices: Sequence[str], about: str) -> None:
    """An option that takes some of many names."""
    parser.add_argument(
        flag, nargs="+", choices=choices, metavar="NAME", help=f"{about}: {', '.join(choices)}"
    )
