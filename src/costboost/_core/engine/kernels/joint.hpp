// A vote and its step chosen together: the loss of a vote with its own best step, and a bound that excludes votes which
// cannot have the least one without finding their steps.
//
// With T the shares of the two classes, m the shares that are classified wrongly and r the costs (the greater one 1), the
// loss at the step x is   sum over classes of  m (e^(r x) - e^(-r x)) + T e^(-r x).
// It is linear in m, so its minimum over x is concave in m and grows with it.
#pragma once

#include "elementary.hpp"
#include "root.hpp"

namespace costboost {

constexpr double LEAST_WRONG = 1e-10;  // SHARE_FLOOR of rules/discrete.py: share counted as wrong where a vote makes no mistake

// log(e^a + e^b), and the share of the first term.
struct LogSum {
    double value, first;
    LogSum(double a, double b) {
        const double gap = b - a, e = elementary::exp(-std::fabs(gap));
        value = std::max(a, b) + elementary::log1p(e);
        first = gap > 0 ? e / (1 + e) : 1 / (1 + e);
    }
};

class VoteLoss {
  public:
    VoteLoss(const double (&total)[2], const double (&cost)[2]) {
        const double largest = std::max(cost[0], cost[1]);
        for (int z = 0; z < 2; z++) {
            total_[z] = total[z];
            rate_[z] = cost[z] / largest;
        }
        costly_ = cost[0] >= cost[1] ? 0 : 1;
    }

    int costly() const { return costly_; }  // the class whose mistakes cost more
    double total(int z) const { return total_[z]; }
    double rate(int z) const { return rate_[z]; }

    double at(const double (&wrong)[2], double x) const {
        double loss = 0;
        for (int z = 0; z < 2; z++) {
            const double down = elementary::exp(-rate_[z] * x);
            loss += total_[z] * down;
            if (wrong[z] > 0) loss += wrong[z] * (elementary::exp(rate_[z] * x) - down);
        }
        return loss;
    }

    // The step of least loss; 0 where no step lowers it: the root of the difference of the logarithms of the two sides of
    //   sum of r m e^(r x) = sum of r (T - m) e^(-r x),
    // which grows with x at a rate between twice the smaller and twice the greater cost.
    double step(const double (&given)[2], double guess) const {
        double wrong[2], up[2], down[2];
        for (int z = 0; z < 2; z++) {
            wrong[z] = std::max(given[z], LEAST_WRONG * total_[z]);
            up[z] = elementary::log(rate_[z]) + elementary::log(wrong[z]);
            down[z] = elementary::log(rate_[z]) + elementary::log(std::max(total_[z] - wrong[z], 0.0));
        }
        return increasing_root(
            [&](double x) {
                const LogSum a(up[0] + rate_[0] * x, up[1] + rate_[1] * x), b(down[0] - rate_[0] * x, down[1] - rate_[1] * x);
                return ValueAndSlope{a.value - b.value, rate_[0] * (a.first + b.first) + rate_[1] * (2 - a.first - b.first)};
            },
            guess);
    }

    double least(const double (&given)[2], double guess) const {
        const double x = step(given, guess);
        const double wrong[2] = {std::max(given[0], LEAST_WRONG * total_[0]), std::max(given[1], LEAST_WRONG * total_[1])};
        return x > 0 ? at(wrong, x) : total_[0] + total_[1];
    }

  private:
    double total_[2], rate_[2];
    int costly_;
};

// Which votes may have a loss below a level. For every share m of mistakes on the less costly class there is a
// greatest share of mistakes on the other at which some step still reaches the level. It is the maximum of linear functions of m, one
// for each step, so it is convex, and chords between exact points bound it from above.
class WinningVotes {
  public:
    static constexpr int CHORDS = 128;
    static constexpr double LARGEST_STEP = 300;  // beyond it sinh is too large to trust, and nothing is excluded

    WinningVotes(const VoteLoss& loss, double level, double guess) : costly_(loss.costly()) {
        everything_ = level >= loss.total(0) + loss.total(1);
        if (everything_) return;
        const int other = 1 - costly_;
        const double width = loss.total(other) / CHORDS;
        per_share_ = width > 0 ? 1 / width : 0;
        double x = guess;
        for (int j = 0; j <= CHORDS; j++) limit_[j] = j > 0 && limit_[j - 1] == 0 ? 0 : greatest(loss, level, j * width, x);
        limit_[CHORDS + 1] = limit_[CHORDS];
    }

    bool may_win(const double (&wrong)[2]) const {
        if (everything_) return true;
        const double at = wrong[1 - costly_] * per_share_;
        const int j = std::min(static_cast<int>(at), CHORDS);
        return wrong[costly_] <= limit_[j] + (at - j) * (limit_[j + 1] - limit_[j]);
    }

  private:
    // The step that is best for a share gives a better share, whose best step is better still (Dinkelbach 1967).
    double greatest(const VoteLoss& loss, double level, double other_wrong, double& x) {
        const int other = 1 - costly_;
        double wrong[2], share = 0;
        wrong[other] = other_wrong;
        for (int iteration = 0; iteration < 50; iteration++) {
            wrong[costly_] = share;
            const double better = loss.step(wrong, x);
            if (!(better > 0)) break;
            x = better;
            if (x > LARGEST_STEP) everything_ = true;
            const double base[2] = {costly_ == 0 ? 0 : other_wrong, costly_ == 0 ? other_wrong : 0};
            const double next = (level - loss.at(base, x)) / (2 * elementary::sinh(x));
            if (!(next > share * (1 + 1e-10))) break;
            share = next;
        }
        return share > 0 ? share * (1 + 1e-6) : 0;
    }

    int costly_;
    bool everything_;
    double per_share_ = 0;
    double limit_[CHORDS + 2];
};

}  // namespace costboost
