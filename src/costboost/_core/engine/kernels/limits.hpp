// How far a tree may grow, and whether long work has been interrupted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

namespace costboost {

struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

struct Interrupt {
    int (*requested)() = nullptr;  // not 0 where the work is to end
    int64_t cells = 0;             // rows x features since the last check

    // Checks after work on so many cells, several times a second.
    void after(int64_t n_cells) {
        cells += n_cells;
        if (cells < (int64_t{1} << 24)) return;
        cells = 0;
        if (requested && requested()) throw Interrupted();
    }
};

// Which features may meet on a path from the root to a leaf: those of one group, or so many different ones at most.
struct Interactions {
    int most = 0;                      // 0: any number
    const int32_t* members = nullptr;  // of the groups, one group after the other, each sorted; null: any features
    const int64_t* ends = nullptr;     // of the groups among their members
    int64_t n_groups = 0;

    bool any() const { return most || members; }

    // Marks the features that may be tested below those of a path.
    void mark(const std::vector<int>& path, int n_features, uint8_t* allowed) const {
        const bool all = path.empty() || !(members || static_cast<int>(path.size()) >= most);
        std::fill(allowed, allowed + n_features, all ? 1 : 0);
        if (all) return;
        if (!members)
            for (int f : path) allowed[f] = 1;
        for (int64_t g = 0; g < n_groups; g++) {
            const int32_t *begin = members + (g ? ends[g - 1] : 0), *end = members + ends[g];
            const auto inside = [=](int f) { return std::binary_search(begin, end, f); };
            if (std::all_of(path.begin(), path.end(), inside))
                for (const int32_t* f = begin; f < end; f++) allowed[*f] = 1;
        }
    }

    static std::vector<int> longer(std::vector<int> path, int feature) {
        if (std::find(path.begin(), path.end(), feature) == path.end()) path.push_back(feature);
        return path;
    }
};

// A request that threads end their work: signals are handled in the main thread only, which passes them on in this way.
class Stop {
  public:
    void set() { set_.store(true, std::memory_order_relaxed); }
    bool is_set() const { return set_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> set_{false};
};

// The request that this thread obeys, if any.
inline thread_local const Stop* obeyed = nullptr;

inline void obey(const Stop* stop) { obeyed = stop; }
inline bool told_to_stop() { return obeyed && obeyed->is_set(); }

struct TreeLimits {
    int max_depth, max_leaves;  // no limit where negative
    int64_t min_samples_leaf;   // copies of rows, if there are any; 1: no limit
    double least_gain;
    int64_t parallel_cells;  // rows x features from which several threads pay
    Interactions interactions;
    Interrupt interrupt;
};

}  // namespace costboost
