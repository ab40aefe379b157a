"""Modules of earlier versions, in which pickles and skops files look for classes and functions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "arithmetic": ("elementary", "vectors"),
    "calibration.calibrators": ("calibration.base",),
    "classifiers.checks": ("classifiers.cost_cells",),
    "classifiers.discrete": ("classifiers.adaboost", "classifiers.cost_updates"),
    "classifiers.real": ("classifiers.multinomial", "classifiers.newton"),
    "classifiers.score_weighted": ("classifiers.regularised", "classifiers.uneven"),
    "comparing.comparing": ("comparing.result",),
    "datasets.records": ("datasets.costs",),
    "decisions.capacity": ("decisions.assignment",),
    "decisions.operating": ("decisions.guarantees",),
    "decisions.outcome_costs": ("decisions.estimated_costs",),
    "decisions.wrapping": ("decisions.folds",),
    "engine.ensemble": ("engine.scores",),
    "learners": ("learners.hypothesis",),
    "learners.tree": ("learners.pair_tree",),
    "metrics.costs": ("metrics.scorer",),
    "metrics.ranking": ("metrics.margin", "metrics.profit"),
    "model.decision": ("model.prevalence",),
    "model.fitted": ("model.binary", "model.one_vs_rest", "model.scores", "model.several"),
    "monitoring.monitor": ("monitoring.result",),
    "monitoring.reference": ("monitoring.costs",),
    "multiclass.base": ("multiclass.model",),
    "multiclass.methods": ("multiclass.ensembles", "multiclass.iterative"),
    "plots.curves": ("plots.ranked",),
    "plots.scores": ("plots.margin", "plots.surface"),
    "rules.real": ("rules.newton",),
    "rules.score_weighted": ("rules.regularised", "rules.uneven"),
    "tables": ("tables.reading",),
    "tables.table": ("tables.containers",),
    "theory.descent": ("theory.implied",),
    "theory.loss": ("theory.simulation",),
    "training.fitting": ("training.averaging", "training.calibrating"),
    "training.problem": ("training.splitting",),
    "training.stopping": ("training.likelihoods",),
}
"""Modules of ``costboost``, and the earlier ones whose contents they have."""
PRESENT = {f"costboost.{old}": f"costboost.{new}" for new, olds in MOVED.items() for old in olds}


class Finder:
    """Finds earlier modules: each is another name of a present one."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        loader: Any = Alias()
        return ModuleSpec(name, loader) if name in PRESENT else None


class Alias:
    """Loads the present module, whose specification stays its own."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(PRESENT[spec.name])
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own


def install() -> None:
    """Let the import system find earlier modules."""
    sys.meta_path.append(Finder())
