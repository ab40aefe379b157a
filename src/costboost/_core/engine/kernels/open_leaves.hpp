// The leaves of a growing tree that may be divided, numbered as they come. To choose one takes a time that grows with the
// logarithm of their number: the greatest gain of any 2^k neighbours is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace costboost {

class OpenLeaves {
  public:
    void clear() {
        greatest_.clear();
        capacity_ = n_ = 0;
    }

    // One more leaf; without any gain it is never divided.
    void add(double gain) {
        if (n_ == capacity_) reserve(std::max<size_t>(1, 2 * capacity_));
        set(n_++, gain > 0 ? gain : 0);
    }

    void close(int leaf) { set(static_cast<size_t>(leaf), 0); }

    bool may_be_divided(int leaf) const { return greatest_[capacity_ + static_cast<size_t>(leaf)] > 0; }

    // The first leaf whose gain is the greatest but for the tolerance; -1 where no gain is above the tolerance.
    int first_of_greatest(double tolerance) const {
        if (!n_ || !(greatest_[1] > tolerance)) return -1;
        const double enough = greatest_[1] - tolerance;
        size_t at = 1;
        while (at < capacity_) at = 2 * at + (greatest_[2 * at] >= enough ? 0 : 1);
        return static_cast<int>(at - capacity_);
    }

  private:
    std::vector<double> greatest_;  // a binary tree, its root at 1 and its leaves from capacity_ on
    size_t capacity_ = 0, n_ = 0;

    void set(size_t leaf, double gain) {
        size_t at = capacity_ + leaf;
        greatest_[at] = gain;
        while (at >>= 1) greatest_[at] = std::max(greatest_[2 * at], greatest_[2 * at + 1]);
    }

    void reserve(size_t capacity) {
        std::vector<double> larger(2 * capacity, 0.0);
        for (size_t leaf = 0; leaf < n_; leaf++) larger[capacity + leaf] = greatest_[capacity_ + leaf];
        for (size_t at = capacity - 1; at > 0; at--) larger[at] = std::max(larger[2 * at], larger[2 * at + 1]);
        greatest_ = std::move(larger);
        capacity_ = capacity;
    }
};

}  // namespace costboost
