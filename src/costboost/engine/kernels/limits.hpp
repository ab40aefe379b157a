// How far a tree may grow, and whether long work has been interrupted.
#pragma once

#include <cstdint>
#include <exception>

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

struct TreeLimits {
    int max_depth, max_leaves;  // no limit where negative
    int64_t min_samples_leaf;   // copies of rows, if there are any; 1: no limit
    double least_gain;
    int64_t parallel_cells;  // rows x features from which several threads pay
    Interrupt interrupt;
};

}  // namespace costboost
