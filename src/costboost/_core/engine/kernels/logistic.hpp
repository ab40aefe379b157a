// Logistic regressions on one feature each, P(y = +1 | x) = 1 / (1 + e^-(a x + b)), of which the best one votes by its sign.
//
// A vote depends only on which bins lie below the threshold -b / a. Newton's method therefore ends as soon as a bound on the
// distance to the minimum excludes that a bin changes its side; only the regression that is chosen is solved to all digits.
// Features for which no threshold at all would vote well enough are not solved.
#pragma once

#include <numeric>

#include "rowwise.hpp"
#include "split.hpp"
#include "ties.hpp"

namespace costboost {

constexpr double RIDGE = 1e-6;     // penalty on the squared slope of the standardised feature, which keeps it finite
constexpr double SETTLED = 1e-12;  // Newton's method ends when the coefficients change by less than this share
constexpr double FLAT = 1e-12;     // slopes below this are 0 but for rounding
constexpr int NEWTON_STEPS = 100;

// The threshold of a regression, NaN if its slope is 0, and the vote above it, or that of the constant.
struct Threshold {
    double at = std::numeric_limits<double>::quiet_NaN();
    int sign = -1;
    bool fitted = false;
};

// Mean log loss + RIDGE / 2 a^2 at one point: gradient and second derivatives.
struct Slopes {
    double a, b, aa, ab, bb;
};

class Regression {
  public:
    // The bins of a feature: weights p and q of the two classes, values x.
    Regression(const double* p, const double* q, const double* x, int n) {
        double total = 0, largest = 0;
        for (int k = 0; k < n; k++) {
            const double both = p[k] + q[k];
            if (!(std::isfinite(x[k]) && both > 0)) continue;
            p_[n_] = p[k], both_[n_] = both, u_[n_] = x[k];
            total += both;
            largest = std::max(largest, std::fabs(x[k]));
            n_++;
        }
        if (n_ < 2) return;
        int exponent;
        std::frexp(largest, &exponent);
        size_ = largest > 0 ? std::ldexp(1.0, exponent - 1) : 0.5;  // so that squares are numbers
        double positive = 0, first = 0, second = 0;
        for (int k = 0; k < n_; k++) {
            p_[k] /= total, both_[k] /= total, u_[k] /= size_;
            positive += p_[k];
            first += both_[k] * u_[k];
        }
        mean_ = first;
        for (int k = 0; k < n_; k++) {
            u_[k] -= mean_;
            second += both_[k] * u_[k] * u_[k];
        }
        scale_ = std::sqrt(second);
        fitted_ = scale_ > 0;
        if (!fitted_) return;
        for (int k = 0; k < n_; k++) {
            u_[k] /= scale_;
            reach_ = std::max(reach_, u_[k] * u_[k] + 1);
        }
        for (padded_ = n_; padded_ % LANES; padded_++) p_[padded_] = both_[padded_] = u_[padded_] = 0;
        const double negative = total_of(both_) - positive;
        one_class_ = positive == 0 || only(p_, both_);
        if (one_class_) {
            b_ = positive == 0 ? -1 : 1;
            return;
        }
        b_ = elementary::log(positive / negative);
        slopes_ = slopes(a_, b_);
    }

    bool fitted() const { return fitted_; }

    // Solves the regression until the sides of all bins are certain, or to all digits.
    void solve(bool all_digits) {
        if (!fitted_ || one_class_) return;
        while (!settled_ && (all_digits || !sides_are_certain())) step();
    }

    Threshold threshold() const {
        Threshold found;
        found.fitted = fitted_;
        if (!fitted_) return found;
        if (one_class_ || std::fabs(a_) < FLAT) {
            found.sign = b_ > TIE ? 1 : -1;
            return found;
        }
        found.at = size_ * (mean_ - scale_ * b_ / a_);
        found.sign = a_ > 0 ? 1 : -1;
        return found;
    }

  private:
    static constexpr int LANES = 8;
    double p_[N_BINS], both_[N_BINS], u_[N_BINS];
    int n_ = 0, padded_ = 0, n_steps_ = 0;
    bool fitted_ = false, one_class_ = false, settled_ = false;
    double size_ = 1, mean_ = 0, scale_ = 1, reach_ = 0, a_ = 0, b_ = 0;
    Slopes slopes_{};

    double total_of(const double* values) const { return std::accumulate(values, values + n_, 0.0); }

    bool only(const double* p, const double* both) const {
        return std::equal(p, p + n_, both);
    }

    COSTBOOST_DISPATCH static void add(const double* p, const double* both, const double* u, int n, double a, double b,
                                       double (&sum)[5]) {
        double lane[5][LANES] = {};
        for (int i = 0; i < n; i += LANES)
            for (int k = 0; k < LANES; k++) {
                const double x = u[i + k], weight = both[i + k], t = a * x + b;
                const double e = exponential(t > FARTHEST ? -FARTHEST : t < -FARTHEST ? FARTHEST : -t);
                const double probability = 1 / (1 + e), share = weight * probability;
                const double residual = share - p[i + k], curve = share * (e * probability);
                lane[0][k] += residual * x;
                lane[1][k] += residual;
                lane[2][k] += curve * x * x;
                lane[3][k] += curve * x;
                lane[4][k] += curve;
            }
        for (int j = 0; j < 5; j++) sum[j] = std::accumulate(lane[j], lane[j] + LANES, 0.0);
    }

    Slopes slopes(double a, double b) const {
        double sum[5];
        add(p_, both_, u_, padded_, a, b, sum);
        return {sum[0] + RIDGE * a, sum[1], sum[2] + RIDGE, sum[3], sum[4]};
    }

    double loss(double a, double b) const {
        double sum = RIDGE / 2 * a * a;
        for (int k = 0; k < n_; k++) {
            const double t = a * u_[k] + b, both_ways = log_one_plus(against_size(t));
            sum += p_[k] * (both_ways + std::max(-t, 0.0)) + (both_[k] - p_[k]) * (both_ways + std::max(t, 0.0));
        }
        return sum;
    }

    // Newton's step, halved as long as it goes far beyond the minimum on its line, or increases the loss.
    void step() {
        constexpr int FEW = 20, HALVINGS = 30;
        constexpr double ROUNDING = 1e-14;
        const Slopes& at = slopes_;
        const double determinant = at.aa * at.bb - at.ab * at.ab;
        const bool good = determinant > 1e-14 * at.aa * at.bb;
        const double move_a = good ? (at.bb * at.a - at.ab * at.b) / determinant : at.a / at.aa;
        const double move_b = good ? (at.aa * at.b - at.ab * at.a) / determinant : at.b / std::max(at.bb, RIDGE);
        const double descent = move_a * at.a + move_b * at.b;
        const bool by_loss = n_steps_ >= FEW;
        const double before = by_loss ? loss(a_, b_) * (1 + ROUNDING) : 0;
        double share = 1;
        Slopes next{};
        for (int k = 0;; k++, share /= 2) {
            if (k == HALVINGS) share = 0;
            const double a = a_ - share * move_a, b = b_ - share * move_b;
            if (by_loss && share > 0 && loss(a, b) > before) continue;
            next = slopes(a, b);
            const bool beyond = -(move_a * next.a + move_b * next.b) > descent / 2;
            if (share == 0 || by_loss || !beyond || std::fabs(descent) < 1e-20) break;
        }
        const double moved = share * (std::fabs(move_a) + std::fabs(move_b));
        a_ -= share * move_a, b_ -= share * move_b;
        slopes_ = next;
        settled_ = moved <= SETTLED * (1 + std::fabs(a_) + std::fabs(b_)) || ++n_steps_ == NEWTON_STEPS;
    }

    // Whether no bin is on another side of the threshold at the minimum, and the slope has the sign of that at the minimum.
    //
    // The third derivative of the loss along any line is at most R times the second, R being the greatest distance of a bin
    // (u, 1) from 0. Where the Newton decrement v is at most sqrt(least eigenvalue of the second derivatives H) / (2 R), the
    // minimum is within 4 v in the norm of H (Bach 2010, Self-concordant analysis for logistic regression, proposition 2),
    // so that the logit of a point z moves by at most 4 v sqrt(z' H^-1 z).
    bool sides_are_certain() const {
        const Slopes& at = slopes_;
        const double determinant = at.aa * at.bb - at.ab * at.ab;
        if (!(determinant > 1e-14 * at.aa * at.bb)) return false;
        const double decrement = (at.bb * at.a * at.a - 2 * at.ab * at.a * at.b + at.aa * at.b * at.b) / determinant;
        const double least = determinant / (at.aa + at.bb);  // at most the least eigenvalue
        if (!(4 * reach_ * decrement <= least)) return false;
        const double distance = 16 * decrement / determinant;
        if (!(a_ * a_ > distance * at.bb + 4 * FLAT * FLAT)) return false;
        const double rounding = 1e-20 * (1 + a_ * a_ + b_ * b_);
        bool certain = true;
        for (int k = 0; k < n_; k++) {
            const double x = u_[k], t = a_ * x + b_;
            certain &= t * t > distance * (x * x * at.bb - 2 * x * at.ab + at.aa) + rounding;
        }
        return certain;
    }
};

// The regressions of all features; values of their bins: n_features x 255.
class LogisticSearch {
  public:
    LogisticSearch(const SearchInput& in, const double* values) : in_(in), values_(values) {}

    // The regression of a feature, to all digits.
    Threshold threshold(int f) {
        Regression regression = regression_of(f);
        regression.solve(true);
        return regression.threshold();
    }

    // The regression whose vote has the least weighted error; the first of several that are equal.
    Split best(double* threshold) {
        const int n = in_.features.n;
        std::vector<double> bound(n), loss(n, std::numeric_limits<double>::infinity());
        std::vector<int> order(n);
        for (int f = 0; f < n; f++) bound[f] = least_error(f);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int f, int g) { return bound[f] != bound[g] ? bound[f] < bound[g] : f < g; });
        double least = std::numeric_limits<double>::infinity();
        for (int f : order) {
            if (bound[f] > least + 2 * TIE) break;
            Regression regression = regression_of(f);
            if (!regression.fitted()) continue;
            regression.solve(false);
            loss[f] = vote(f, regression.threshold()).value;
            least = std::min(least, loss[f]);
        }
        for (int f = 0; f < n && std::isfinite(least); f++) {
            if (loss[f] > least + TIE) continue;
            const Threshold found = this->threshold(f);
            *threshold = found.at;
            return vote(f, found);
        }
        *threshold = std::numeric_limits<double>::quiet_NaN();
        return Split();
    }

  private:
    const SearchInput& in_;
    const double* values_;

    Regression regression_of(int f) const {
        const int64_t *p = in_.bins(0, f), *q = in_.bins(1, f);
        const int n = in_.features.n_bins[f];
        double positive[N_BINS], negative[N_BINS];
        for (int b = 0; b < n; b++) positive[b] = in_.unit[0] * p[b], negative[b] = in_.unit[1] * q[b];
        return Regression(positive, negative, values_ + static_cast<int64_t>(f) * MISSING_BIN, n);
    }

    // Least error of a vote by any threshold, missing values being on the better side.
    double least_error(int f) const {
        const int64_t *p = in_.bins(0, f), *q = in_.bins(1, f);
        const double* x = values_ + static_cast<int64_t>(f) * MISSING_BIN;
        const double missing[] = {in_.unit[0] * p[MISSING_BIN], in_.unit[1] * q[MISSING_BIN]};
        double positive = 0, negative = 0, low = 0, high = 0, before = -std::numeric_limits<double>::infinity();
        for (int b = 0; b < in_.features.n_bins[f]; b++) {
            if (!(x[b] > before) && p[b] + q[b]) return 0;  // bins that are not in the order of their values
            if (p[b] + q[b]) before = x[b];
            positive += in_.unit[0] * p[b], negative += in_.unit[1] * q[b];
            low = std::min(low, positive - negative), high = std::max(high, positive - negative);
        }
        return std::min(negative + low, positive - high) + std::min(missing[0], missing[1]);
    }

    // The split of a threshold, its `value` being the error of its vote.
    Split vote(int f, const Threshold& found) const {
        Split split;
        split.polarity = found.sign;
        const int64_t *p = in_.bins(0, f), *q = in_.bins(1, f);
        const bool constant = std::isnan(found.at);
        const double* x = values_ + static_cast<int64_t>(f) * MISSING_BIN;
        int64_t side[2][2] = {{0, 0}, {0, 0}};  // of each class, on the right and on the left
        for (int b = 0; b < in_.features.n_bins[f]; b++) {
            const bool left = !constant && x[b] <= found.at;
            split.left[b] = left;
            side[0][left] += p[b], side[1][left] += q[b];
        }
        const double right[] = {in_.unit[0] * side[0][0], in_.unit[1] * side[1][0]};
        const double left[] = {in_.unit[0] * side[0][1], in_.unit[1] * side[1][1]};
        const double missing[] = {in_.unit[0] * p[MISSING_BIN], in_.unit[1] * q[MISSING_BIN]};
        const int wrong_right = found.sign == 1 ? 1 : 0, wrong_left = 1 - wrong_right;
        const double wrong = left[wrong_left] + right[wrong_right];
        if (constant) {
            split.value = wrong + missing[wrong_right];
            return split;
        }
        split.feature = f;
        split.bin = std::accumulate(split.left, split.left + MISSING_BIN, 0) - 1;
        const bool heavier = heavier_left(left[0] + left[1], right[0] + right[1]);
        const double if_left = wrong + missing[wrong_left], if_right = wrong + missing[wrong_right];
        const Side side_of = missing[0] + missing[1] > 0 ? side_of_missing(if_left, if_right) : Side::HEAVIER;
        split.missing_left = side_of == Side::HEAVIER ? heavier : side_of == Side::LEFT;
        split.left[MISSING_BIN] = split.missing_left;
        split.value = split.missing_left ? if_left : if_right;
        return split;
    }
};

// The regression of every feature, to all digits, for weights (2 x n_features x 255) and values of bins (n_features x 255).
inline void logistic_thresholds(const double* weight, const double* values, int n, double* threshold, int64_t* sign, uint8_t* fitted) {
    for (int f = 0; f < n; f++) {
        const int64_t first = static_cast<int64_t>(f) * MISSING_BIN, other = static_cast<int64_t>(n) * MISSING_BIN;
        Regression regression(weight + first, weight + other + first, values + first, MISSING_BIN);
        regression.solve(true);
        const Threshold found = regression.threshold();
        threshold[f] = found.at, sign[f] = found.sign, fitted[f] = found.fitted;
    }
}

inline Split best_logistic_vote(const SearchInput& in, const double* values, double* threshold) {
    return LogisticSearch(in, values).best(threshold);
}

}  // namespace costboost
