// The criterion of whole features, for learners that use every bin of one.
#pragma once

#include "split.hpp"

namespace costboost {

// Neighbouring bins whose levels are in the wrong order get the mean of their shares, so that all levels are in order (pool adjacent
// violators; Barlow et al. 1972). For convex losses, the smoothing of every bin included, these levels are the best ones in that order.
inline void pool_bins(const Criterion& criterion, int direction, double* p, double* q, int n) {
    struct Run {
        int size;
        double p, q;
    };
    const auto level = [&](const Run& run) { return criterion.level(run.p / run.size, run.q / run.size); };
    std::vector<Run> runs;
    for (int b = 0; b < n; b++) {
        runs.push_back({1, p[b], q[b]});
        while (runs.size() > 1 && direction * level(runs[runs.size() - 2]) > direction * level(runs.back())) {
            const Run last = runs.back();
            runs.pop_back();
            runs.back() = {runs.back().size + last.size, runs.back().p + last.p, runs.back().q + last.q};
        }
    }
    int b = 0;
    for (const Run& run : runs)
        for (int k = 0; k < run.size; k++, b++) {
            p[b] = run.p / run.size;
            q[b] = run.q / run.size;
        }
}

// The criterion of every feature when each of its bins, the missing one included, is a leaf.
inline void table_losses(const SearchInput& in, double* out) {
    const Criterion& criterion = in.criterion;
    double p[N_BINS], q[N_BINS];
    for (int f = 0; f < in.features.n; f++) {
        const int64_t *positive = in.bins(0, f), *negative = in.bins(1, f);
        const int n = in.features.n_bins[f];
        for (int b = 0; b < n; b++) p[b] = in.unit[0] * positive[b], q[b] = in.unit[1] * negative[b];
        if (in.features.direction(f)) pool_bins(criterion, in.features.direction(f), p, q, n);
        double sum = criterion.leaf(in.unit[0] * positive[MISSING_BIN], in.unit[1] * negative[MISSING_BIN]);
        for (int b = 0; b < n; b++) sum += criterion.leaf(p[b], q[b]);
        out[f] = sum;
    }
}

// The criterion SQUARES of every feature when a line in the values x of its bins (n_features x 255) is fitted.
inline void line_losses(const SearchInput& in, const double* x, double* out) {
    for (int f = 0; f < in.features.n; f++, x += MISSING_BIN) {
        const int64_t *response = in.bins(0, f), *weight = in.bins(1, f);
        double total = 0, sum = 0, first = 0;
        for (int b = 0; b < in.features.n_bins[f]; b++) {
            total += static_cast<double>(weight[b]);
            sum += static_cast<double>(response[b]);
            first += static_cast<double>(weight[b]) * x[b];
        }
        const double mean = first / total;
        double together = 0, spread = 0;
        for (int b = 0; b < in.features.n_bins[f]; b++) {
            const double centred = x[b] - mean;  // so that squares do not cancel
            together += static_cast<double>(response[b]) * centred;
            spread += static_cast<double>(weight[b]) * centred * centred;
        }
        const double scale = in.unit[0] * in.unit[0] / in.unit[1];
        out[f] = -scale * (sum * sum / total + (spread > 0 ? together * together / spread : 0));
    }
}

}  // namespace costboost
