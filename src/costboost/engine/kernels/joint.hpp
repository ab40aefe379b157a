// A vote and its step chosen together: the loss of a vote with its own best step, and a bound that tells, without
// finding that step, which votes cannot have the least one.
//
// With T the shares of the two classes, m the shares that the vote gets wrong and r the costs (the greater one 1), the
// loss at the step x is   sum over classes of  m (e^(r x) - e^(-r x)) + T e^(-r x).
// It is linear in m, so its minimum over x is concave in m and grows with it.
#pragma once

#include "common.hpp"

namespace costboost {

constexpr double LEAST_WRONG = 1e-10;  // share of its class that a perfect vote is taken to get wrong

// log(e^a + e^b), and the share of the first term.
struct LogSum {
    double value, first;
    LogSum(double a, double b) {
        const double gap = b - a, e = std::exp(-std::fabs(gap));
        value = std::max(a, b) + std::log1p(e);
        first = gap > 0 ? e / (1 + e) : 1 / (1 + e);
    }
};

class PairLoss {
  public:
    PairLoss(const double (&total)[2], const double (&cost)[2]) {
        const double dearest = std::max(cost[0], cost[1]);
        for (int z = 0; z < 2; z++) {
            total_[z] = total[z];
            rate_[z] = cost[z] / dearest;
        }
        dear_ = cost[0] >= cost[1] ? 0 : 1;
    }

    int dear() const { return dear_; }
    double total(int z) const { return total_[z]; }
    double rate(int z) const { return rate_[z]; }

    double at(const double (&wrong)[2], double x) const {
        double loss = 0;
        for (int z = 0; z < 2; z++) {
            const double down = std::exp(-rate_[z] * x);
            loss += total_[z] * down;
            if (wrong[z] > 0) loss += wrong[z] * (std::exp(rate_[z] * x) - down);
        }
        return loss;
    }

    // The step of least loss; 0 where no step lowers it. Newton's method on the logarithms of the two sides of
    //   sum of r m e^(r x) = sum of r (T - m) e^(-r x),
    // whose difference grows with x at a rate between twice the smaller and twice the greater cost.
    double step(const double (&given)[2], double guess) const {
        double wrong[2], up[2], down[2];
        for (int z = 0; z < 2; z++) {
            wrong[z] = std::max(given[z], LEAST_WRONG * total_[z]);
            up[z] = std::log(rate_[z]) + std::log(wrong[z]);
            down[z] = std::log(rate_[z]) + std::log(std::max(total_[z] - wrong[z], 0.0));
        }
        double low = 0, high = std::numeric_limits<double>::infinity(), x = 0;
        for (int iteration = 0; iteration < 200; iteration++) {
            const LogSum a(up[0] + rate_[0] * x, up[1] + rate_[1] * x), b(down[0] - rate_[0] * x, down[1] - rate_[1] * x);
            const double gap = a.value - b.value;
            if (x == 0 && gap >= 0) return 0;
            if (gap == 0) return x;
            (gap < 0 ? low : high) = x;
            const double slope = rate_[0] * (a.first + b.first) + rate_[1] * (2 - a.first - b.first);
            double next = iteration == 0 && guess > 0 ? guess : x - gap / slope;
            if (!(next > low && next < high)) next = std::isinf(high) ? 2 * low + 1 : 0.5 * (low + high);
            if (std::fabs(next - x) <= 1e-15 * next) return next;
            x = next;
        }
        return x;
    }

    double least(const double (&given)[2], double guess) const {
        const double x = step(given, guess);
        const double wrong[2] = {std::max(given[0], LEAST_WRONG * total_[0]), std::max(given[1], LEAST_WRONG * total_[1])};
        return x > 0 ? at(wrong, x) : total_[0] + total_[1];
    }

  private:
    double total_[2], rate_[2];
    int dear_;
};

// Which votes may have a loss below a level. For every share m of the cheap class that is wrong there is a greatest
// share of the dear class at which some step still reaches the level. It is the maximum of linear functions of m, one
// for each step, so it is convex, and chords between exact points bound it from above.
class Frontier {
  public:
    static constexpr int CHORDS = 128;
    static constexpr double LARGEST_STEP = 300;  // beyond it sinh is too large to trust, and nothing is ruled out

    Frontier(const PairLoss& loss, double level, double guess) : dear_(loss.dear()) {
        everything_ = level >= loss.total(0) + loss.total(1);
        if (everything_) return;
        const int cheap = 1 - dear_;
        const double width = loss.total(cheap) / CHORDS;
        per_share_ = width > 0 ? 1 / width : 0;
        double x = guess;
        for (int j = 0; j <= CHORDS; j++) limit_[j] = j > 0 && limit_[j - 1] == 0 ? 0 : greatest(loss, level, j * width, x);
        limit_[CHORDS + 1] = limit_[CHORDS];
    }

    bool may_win(const double (&wrong)[2]) const {
        if (everything_) return true;
        const double at = wrong[1 - dear_] * per_share_;
        const int j = std::min(static_cast<int>(at), CHORDS);
        return wrong[dear_] <= limit_[j] + (at - j) * (limit_[j + 1] - limit_[j]);
    }

  private:
    // The step that is best for a share gives a better share, whose best step is better still (Dinkelbach 1967).
    double greatest(const PairLoss& loss, double level, double cheap_wrong, double& x) {
        const int cheap = 1 - dear_;
        double wrong[2], share = 0;
        wrong[cheap] = cheap_wrong;
        for (int iteration = 0; iteration < 50; iteration++) {
            wrong[dear_] = share;
            const double better = loss.step(wrong, x);
            if (!(better > 0)) break;
            x = better;
            if (x > LARGEST_STEP) everything_ = true;
            const double base[2] = {dear_ == 0 ? 0 : cheap_wrong, dear_ == 0 ? cheap_wrong : 0};
            const double next = (level - loss.at(base, x)) / (2 * std::sinh(x));
            if (!(next > share * (1 + 1e-10))) break;
            share = next;
        }
        return share > 0 ? share * (1 + 1e-6) : 0;
    }

    int dear_;
    bool everything_;
    double per_share_ = 0;
    double limit_[CHORDS + 2];
};

}  // namespace costboost
