"""Costs of usual cases of decisions about two classes, from amounts of money."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from costboost._core.checks import check_finite, check_numbers, refuse_no_number


class UsualCases:
    """Mixin of the constructors of usual cases; gains are negative costs."""

    @classmethod
    def outcomes(
        cls, *, fn_cost: Any, fp_cost: Any, tp_cost: Any = None, tn_cost: Any = None
    ) -> Self:
        """Costs of the four outcomes of two classes."""
        raise NotImplementedError

    @classmethod
    def fraud(cls, amount: Any, review_cost: Any, *, recovered: float = 1.0) -> Self:
        r"""Costs of reviewing payments; positive is a fraud, predicted positive is reviewed.

        .. math:: C_{FN} = A_i, \quad C_{TP} = c + (1 - r) A_i, \quad C_{FP} = c, \quad C_{TN} = 0

        Parameters
        ----------
        amount : number or array of shape (n_rows,)
            Amount A that a fraud which is let through loses.
        review_cost : number or array of shape (n_rows,)
            Cost c of a review.
        recovered : float, default=1.0
            Share r of the amount that the review of a fraud saves.

        References
        ----------
        Bahnsen, A. C., Stojanovic, A., Aouada, D. & Ottersten, B. (2013). Cost sensitive credit
        card fraud detection using Bayes minimum risk. ICMLA 2013, 333-338.
        """
        lost, cost = _amounts(amount=amount, review_cost=review_cost)
        share = _rate("recovered", recovered)
        left = (1 - share) * lost if share < 1 else 0.0
        return cls.outcomes(fn_cost=lost, tp_cost=cost + left, fp_cost=cost)

    @classmethod
    def credit(
        cls,
        exposure: Any,
        *,
        margin: Any,
        loss_given_default: Any = 0.75,
        default_rate: float | None = None,
    ) -> Self:
        r"""Costs of granting loans; positive is a default, predicted positive is rejected.

        .. math::

            C_{FN} = L E_i, \quad C_{FP} = \max(0,\ m E_i + C^a), \quad C_{TP} = C_{TN} = 0,

            C^a = \pi L \bar E - (1 - \pi)\, m \bar E

        where the money of a rejected loan goes to an average borrower, who defaults with
        probability :math:`\pi`. Without ``default_rate`` it is not lent: :math:`C^a = 0`.

        `lending` computes the profit from interest rates and terms.

        Parameters
        ----------
        exposure : number or array of shape (n_rows,)
            Amount E that is lent.
        margin : number or array of shape (n_rows,)
            Profit m on a loan that is repaid, as a share of the exposure.
        loss_given_default : number or array of shape (n_rows,), default=0.75
            Share L of the exposure that a default loses.
        default_rate : float, optional
            Share of the borrowers who default.

        References
        ----------
        Bahnsen, A. C., Aouada, D. & Ottersten, B. (2014). Example-dependent cost-sensitive logistic
        regression for credit scoring. ICMLA 2014, 263-269.
        """
        lent, share, loss = _amounts(
            exposure=exposure, margin=margin, loss_given_default=loss_given_default
        )
        lost, profit = loss * lent, share * lent
        alternative: Any = 0.0
        if default_rate is not None:
            rate = _rate("default_rate", default_rate)
            alternative = rate * np.mean(lost) - (1 - rate) * np.mean(profit)
        return cls.outcomes(
            fn_cost=lost, fp_cost=np.maximum(0.0, profit + alternative), tp_cost=0.0
        )

    @classmethod
    def lending(
        cls,
        amount: Any,
        *,
        default_rate: float,
        months: Any = 24,
        interest: float = 0.0479,
        funding: float = 0.0294,
        loss_given_default: float = 0.75,
    ) -> Self:
        r"""Costs of lending, row by row; positive is a borrower who defaults.

        A default costs the share L of the amount :math:`A_i`. A good borrower who is rejected costs
        the profit :math:`r_i`, while the money goes to an average borrower instead, who may
        default:

        .. math::

            C_{FN,i} = L A_i, \qquad
            C_{FP,i} = \max(0,\; r_i - (1 - \pi) \bar r + \pi L \bar A),

        with :math:`\pi` the share of defaults. The profit is the present value, at the lender's own
        cost of money, of equal monthly payments at the interest rate, less the amount.

        Parameters
        ----------
        amount : array of shape (n_rows,)
            Amounts of the loans.
        default_rate : float
            The share of borrowers who default.
        months : int or array of shape (n_rows,), default=24
            The term.
        interest, funding : float
            Annual interest rates of the borrower and of the lender.
        loss_given_default : float, default=0.75
            The share of the amount that a default loses.
        References
        ----------
        Correa Bahnsen, Aouada and Ottersten (2014). Example-dependent cost-sensitive logistic
        regression for credit scoring. ICMLA. Term, rates and loss are by default those of its first
        data set.

        Examples
        --------
        >>> from costboost import Costs
        >>> costs = Costs.lending([1000.0, 4000.0], default_rate=0.1)
        >>> costs.fn_cost.round(2), costs.fp_cost.round(2)
        (array([ 750., 3000.]), array([163.56, 221.02]))
        """
        lent = np.asarray(amount, dtype=float)
        term = np.asarray(months, dtype=float)
        payment = lent * (interest / 12) / -np.expm1(-term * np.log1p(interest / 12))
        worth = payment * -np.expm1(-term * np.log1p(funding / 12)) / (funding / 12)
        profit = worth - lent
        instead = (
            default_rate * loss_given_default * lent.mean() - (1 - default_rate) * profit.mean()
        )
        lost = loss_given_default * lent
        return cls.outcomes(fn_cost=lost, fp_cost=np.maximum(0, profit + instead), tp_cost=0.0)

    @classmethod
    def churn(
        cls,
        lifetime_value: Any,
        *,
        incentive: Any,
        contact_cost: Any,
        acceptance_rate: float = 0.3,
    ) -> Self:
        r"""Costs of a retention campaign; positive is a churner, predicted positive is contacted.

        .. math::

            C_{TP} = f - \gamma (V_i - d), \quad C_{FP} = d + f, \quad C_{FN} = C_{TN} = 0

        A churner who is contacted stays with probability :math:`\gamma` and takes the incentive d
        then; a customer who would have stayed takes it in any case. Minus the total is the profit
        of the campaign.

        Parameters
        ----------
        lifetime_value : number or array of shape (n_rows,)
            Value V of a customer who stays.
        incentive : number or array of shape (n_rows,)
            Cost d of the offer.
        contact_cost : number or array of shape (n_rows,)
            Cost f of contacting a customer.
        acceptance_rate : float, default=0.3
            Share :math:`\gamma` of the churners who accept the offer and stay.

        References
        ----------
        Verbraken, T., Verbeke, W. & Baesens, B. (2013). A novel profit maximizing metric for
        measuring classification performance of customer churn prediction models. IEEE Transactions
        on Knowledge and Data Engineering 25(5), 961-973.
        """
        value, offer, contact = _amounts(
            lifetime_value=lifetime_value, incentive=incentive, contact_cost=contact_cost
        )
        rate = _rate("acceptance_rate", acceptance_rate)
        return cls.outcomes(
            tp_cost=contact - rate * (value - offer), fp_cost=offer + contact, fn_cost=0.0
        )

    @classmethod
    def maintenance(
        cls, failure_cost: Any, inspection_cost: Any, *, repair_cost: Any = 0.0
    ) -> Self:
        r"""Costs of inspecting machines; positive fails otherwise, predicted positive is inspected.

        .. math:: C_{FN} = F_i, \quad C_{TP} = c + R, \quad C_{FP} = c, \quad C_{TN} = 0

        Parameters
        ----------
        failure_cost : number or array of shape (n_rows,)
            Cost F of a failure: repair, downtime and damage.
        inspection_cost : number or array of shape (n_rows,)
            Cost c of an inspection.
        repair_cost : number or array of shape (n_rows,), default=0.0
            Cost R of the planned repair that prevents the failure.

        References
        ----------
        Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 2001, 973-978, on costs
        against a common baseline.
        """
        failure, inspection, repair = _amounts(
            failure_cost=failure_cost, inspection_cost=inspection_cost, repair_cost=repair_cost
        )
        return cls.outcomes(fn_cost=failure, tp_cost=inspection + repair, fp_cost=inspection)

    @classmethod
    def direct_mail(cls, donation: Any, mailing_cost: Any = 0.68) -> Self:
        r"""Costs of a mailing; positive donates if asked, predicted positive gets a letter.

        .. math:: C_{TP} = c - D_i, \quad C_{FP} = c, \quad C_{FN} = C_{TN} = 0

        Minus the total is the profit of the mailing. The donation of a person who has not donated
        is not known, NaN: `EstimatedCostClassifier` estimates it.

        Parameters
        ----------
        donation : number or array of shape (n_rows,)
            Donation D, or what an order earns.
        mailing_cost : number or array of shape (n_rows,), default=0.68
            Cost c of a letter; the default is that of the KDD Cup 1998, in USD.

        References
        ----------
        Zadrozny, B. & Elkan, C. (2001). Learning and making decisions when costs and probabilities
        are both unknown. KDD 2001, 204-213.
        """
        gift, cost = _amounts(donation=donation, mailing_cost=mailing_cost)
        return cls.outcomes(tp_cost=cost - gift, fp_cost=cost, fn_cost=0.0)

    @classmethod
    def triage(cls, benefit: Any, harm: Any) -> Self:
        r"""Costs of treating patients; positive is ill, predicted positive is treated.

        .. math:: C_{TP} = -B_i, \quad C_{FP} = H_i, \quad C_{FN} = C_{TN} = 0

        A patient is treated where the probability of the disease is above H / (H + B).

        Parameters
        ----------
        benefit : number or array of shape (n_rows,)
            Benefit B of the treatment, net of its costs and risks, for a patient who is ill.
        harm : number or array of shape (n_rows,)
            Costs and risks H of the treatment for a patient who is not.

        References
        ----------
        Pauker, S. G. & Kassirer, J. P. (1980). The threshold approach to clinical decision making.
        New England Journal of Medicine 302(20), 1109-1117.
        """
        gain, loss = _amounts(benefit=benefit, harm=harm)
        return cls.outcomes(tp_cost=-gain, fp_cost=loss, fn_cost=0.0)


def _amounts(**amounts: Any) -> list[Any]:
    """Amounts of money that are not negative, as numbers or arrays of one dimension."""
    found: list[Any] = []
    for name, value in amounts.items():
        amount = amount_of(name, value)
        if np.any(np.asarray(amount) < 0):
            first = int(np.argmax(np.asarray(amount) < 0))
            where = f" in row {first}" if np.ndim(amount) else ""
            raise ValueError(
                f"{name} must not be negative, got {np.atleast_1d(amount)[first]:g}{where}"
            )
        found.append(amount)
    return found


def amount_of(name: str, value: Any) -> Any:
    """A finite number, or one for each row, NaN where it is not known."""
    refuse_no_number(name, value)
    cost = check_numbers(name, value)
    if cost.ndim > 1:
        raise ValueError(
            f"{name} must be a number or one for each row, got an array of shape {cost.shape}"
        )
    bad = np.isinf(cost) | (np.isnan(cost) if cost.ndim == 0 else False)
    if np.any(bad):
        raise ValueError(f"{name} must be finite, got {cost.flat[int(np.argmax(bad))]:g}")
    if cost.ndim == 0:
        return float(cost)
    cost.flags.writeable = False
    return cost


def _rate(name: str, value: Any) -> float:
    rate = check_finite(name, value)
    if rate.ndim or not 0 <= rate <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")
    return float(rate)
