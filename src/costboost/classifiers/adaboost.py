"""AdaBoost and the two that keep its training: CGAda changes the start, AdaMEC the decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from costboost import rules
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import check_choice
from costboost.rules import Rule


@dataclass(kw_only=True, eq=False, repr=False)
class AdaBoostClassifier(BoostingClassifier):
    rule: ClassVar[Rule] = rules.ADABOOST
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = False
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Freund & Schapire (1997). A decision-theoretic generalization of on-line learning and an "
        "application to boosting. Journal of Computer and System Sciences 55(1), 119-139."
    )


@dataclass(kw_only=True, eq=False, repr=False)
class CGAdaClassifier(BoostingClassifier):
    rule: ClassVar[Rule] = rules.CGADA
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Landesa-Vazquez & Alba-Castro (2012). Shedding light on the asymmetric learning capability "
        "of AdaBoost. Pattern Recognition Letters 33(3), 247-255."
    )


@dataclass(kw_only=True, eq=False, repr=False)
class AdaMECClassifier(BoostingClassifier):
    rule: ClassVar[Rule] = rules.ADAMEC
    fgd_consistent: ClassVar[bool] = True
    cost_consistent: ClassVar[bool] = True
    asymmetry_preserving: ClassVar[bool] = True
    reference: ClassVar[str] = (
        "Ting (2000). A comparative study of cost-sensitive boosting algorithms. ICML, 983-990; "
        "Nikolaou, Edakunni, Kull, Flach & Brown (2016). Cost-sensitive boosting algorithms: do we "
        "really need them? Machine Learning 104, 359-384."
    )

    probability: str = "votes"

    def _rule(self) -> Rule:
        check_choice(self, "probability", tuple(rules.ADAMEC_BY_PROBABILITY))
        return rules.ADAMEC_BY_PROBABILITY[self.probability]
