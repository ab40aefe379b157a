// The sigmoid of a score that fits held-out rows best, and the log losses under it.
//
// Bits are those of the same formulas in NumPy with the functions of elementary.hpp: every operation is done for all rows in the
// order of the formulas, and sums are added pairwise.
#pragma once

#include "elementary.hpp"
#include "pairwise.hpp"

namespace costboost {

// A sigmoid of slope * score + offset, and its mean log loss.
struct FittedLine {
    double slope, offset, loss;
};

// When Newton steps end; see `best_line` in Python.
struct LineLimits {
    int most_steps, most_halvings;
    double settled, least_determinant, rounding;
};

// Scores, classes and weights of rows.
struct ScoredRows {
    int64_t n;
    const double* score;
    const uint8_t* positive;
    const double* counts;
};

namespace line {

// log(1 + e^-|t|) + max(t, 0) for every t.
inline void soft_plus(const double* t, int64_t n, double* out) {
    for (int64_t i = 0; i < n; i++) out[i] = -std::fabs(t[i]);
    elementary::exp_all(out, n);
    elementary::log1p_all_to_one(out, n);
    for (int64_t i = 0; i < n; i++) out[i] = out[i] + (t[i] > 0 ? t[i] : 0);
}

class LineFit {
  public:
    // smoothing: rows that targets add to each class; least_slack: lower bound of what they add to 0.
    LineFit(const ScoredRows& rows, double smoothing, double least_slack)
        : n_(rows.n), score_(rows.score), share_(n_), target_(n_), logit_(n_), first_(n_), second_(n_) {
        const double total = pairwise_sum(rows.counts, n_);
        double slack[2];
        for (int z = 0; z < 2; z++) {
            int64_t m = 0;
            for (int64_t i = 0; i < n_; i++)
                if ((rows.positive[i] != 0) == (z == 1)) first_[m++] = rows.counts[i];
            slack[z] = std::max(smoothing / (pairwise_sum(first_.data(), m) + 2 * smoothing), least_slack);
        }
        for (int64_t i = 0; i < n_; i++) {
            share_[i] = rows.counts[i] / total;
            target_[i] = rows.positive[i] ? 1 - slack[1] : slack[0];
        }
    }

    FittedLine constant() {
        for (int64_t i = 0; i < n_; i++) first_[i] = share_[i] * target_[i];
        const double prior = sum(first_);
        return at(0, elementary::log(prior / (1 - prior)));
    }

    FittedLine at(double slope, double offset) {
        for (int64_t i = 0; i < n_; i++) logit_[i] = slope * score_[i] + offset;
        soft_plus(logit_.data(), n_, first_.data());
        for (int64_t i = 0; i < n_; i++) first_[i] = share_[i] * (first_[i] - target_[i] * logit_[i]);
        return {slope, offset, sum(first_)};
    }

    FittedLine improved(FittedLine best, const LineLimits& limits) {
        for (int k = 0; k < limits.most_steps; k++) {
            const FittedLine before = best;
            double move_slope, move_offset;
            if (!newton_step(before, limits.least_determinant, move_slope, move_offset)) break;
            double size = 1;
            for (int j = 0; j < limits.most_halvings; j++, size /= 2) {
                const FittedLine found = at(before.slope + size * move_slope / determinant_, before.offset + size * move_offset / determinant_);
                if (found.loss <= best.loss * (1 + limits.rounding)) {
                    best = found;
                    break;
                }
            }
            if (before.loss - best.loss <= limits.settled * best.loss) break;
        }
        return best;
    }

  private:
    const int64_t n_;
    const double* score_;
    std::vector<double> share_, target_, logit_, first_, second_;
    double determinant_ = 0;

    double sum(const std::vector<double>& values) const { return pairwise_sum(values.data(), n_); }

    // The step times the determinant; false if that is too small.
    bool newton_step(const FittedLine& at, double least, double& move_slope, double& move_offset) {
        for (int64_t i = 0; i < n_; i++) logit_[i] = at.slope * score_[i] + at.offset;
        for (int64_t i = 0; i < n_; i++) first_[i] = -std::fabs(logit_[i]);
        elementary::exp_all(first_.data(), n_);
        for (int64_t i = 0; i < n_; i++) logit_[i] = (logit_[i] < 0 ? first_[i] : 1) / (1 + first_[i]);  // the probability
        for (int64_t i = 0; i < n_; i++) first_[i] = share_[i] * (target_[i] - logit_[i]);
        for (int64_t i = 0; i < n_; i++) second_[i] = first_[i] * score_[i];
        const double g = sum(second_), h = sum(first_);
        for (int64_t i = 0; i < n_; i++) first_[i] = share_[i] * logit_[i] * (1 - logit_[i]);
        const double c = sum(first_);
        for (int64_t i = 0; i < n_; i++) second_[i] = first_[i] * score_[i];
        const double b = sum(second_);
        for (int64_t i = 0; i < n_; i++) second_[i] = second_[i] * score_[i];
        const double a = sum(second_);
        determinant_ = a * c - b * b;
        move_slope = c * g - b * h, move_offset = a * h - b * g;
        return determinant_ > least * a * c;
    }
};

}  // namespace line

// ---- several scores: the pieces of Newton's method for a logistic regression ---------------------------------------------------------

// At these logits: the mean loss, and of each row the slope of the loss by its logit (with the opposite sign) and its curvature.
// sign: +1 or -1; slack: how far the target of a row's own class is from 1.
inline double logistic_point(const double* logit, const double* sign, const double* share, const double* slack, int64_t n, double* gradient,
                             double* curvature) {
    std::vector<double> loss(n);
    for (int64_t i = 0; i < n; i++) curvature[i] = -std::fabs(sign[i] * logit[i]);
    elementary::exp_all(curvature, n);
    std::copy(curvature, curvature + n, loss.begin());
    elementary::log1p_all_to_one(loss.data(), n);
    for (int64_t i = 0; i < n; i++) {
        const double margin = sign[i] * logit[i], tail = curvature[i], both = 1 + tail;
        loss[i] = share[i] * (loss[i] + (margin < 0 ? -margin : 0) + slack[i] * margin);
        gradient[i] = share[i] * sign[i] * ((margin > 0 ? tail : 1) / both - slack[i]);
        curvature[i] = share[i] * tail / (both * both);
    }
    return pairwise_sum(loss.data(), n);
}

// Sums over rows for a Newton step on m columns, n x m: of curvature and gradient; the mean of each column, weighted by the curvature;
// of gradient times centred column; and of curvature times two of them, m x m.
struct NewtonSums {
    double curvature, gradient;
    std::vector<double> mean, slope, hessian;
};

inline NewtonSums newton_sums(const double* columns, int64_t n, int64_t m, const double* gradient, const double* curvature) {
    NewtonSums found{pairwise_sum(curvature, n), pairwise_sum(gradient, n), {}, {}, {}};
    std::vector<double> centred(n * m), product(n), terms(n);
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < n; i++) product[i] = curvature[i] * columns[i * m + j];
        found.mean.push_back(pairwise_sum(product.data(), n) / found.curvature);
        for (int64_t i = 0; i < n; i++) centred[j * n + i] = columns[i * m + j] - found.mean[j];
    }
    for (int64_t j = 0; j < m; j++) {
        const double* own = centred.data() + j * n;
        for (int64_t i = 0; i < n; i++) terms[i] = gradient[i] * own[i];
        found.slope.push_back(pairwise_sum(terms.data(), n));
        for (int64_t i = 0; i < n; i++) product[i] = curvature[i] * own[i];
        for (int64_t k = 0; k < m; k++) {
            const double* other = centred.data() + k * n;
            for (int64_t i = 0; i < n; i++) terms[i] = product[i] * other[i];
            found.hessian.push_back(pairwise_sum(terms.data(), n));
        }
    }
    return found;
}

// The sigmoid of least log loss with smoothed targets, nearly; start: one to begin with if it is better than a constant, or null.
inline FittedLine best_line(const ScoredRows& rows, double smoothing, double least_slack, const FittedLine* start, const LineLimits& limits) {
    line::LineFit fit(rows, smoothing, least_slack);
    FittedLine best = fit.constant();
    if (start) {
        const FittedLine known = fit.at(start->slope, start->offset);
        if (known.loss < best.loss) best = known;
    }
    return fit.improved(best, limits);
}

// Log loss of every row.
inline void sigmoid_losses(const FittedLine& of, const double* score, const uint8_t* positive, int64_t n, double* losses) {
    std::vector<double> against(n);
    for (int64_t i = 0; i < n; i++) against[i] = -((positive[i] ? 1.0 : -1.0) * (of.slope * score[i] + of.offset));
    line::soft_plus(against.data(), n, losses);
}

}  // namespace costboost
