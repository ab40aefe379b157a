// The criterion of whole features, for learners that use every bin of one.
#pragma once

#include "split.hpp"

namespace costboost {

// The criterion of every feature when each of its bins, the missing one included, is a leaf.
inline void table_losses(const SearchInput& in, double* out) {
    const Criterion& criterion = in.criterion;
    for (int f = 0; f < in.features.n; f++) {
        const int64_t *p = in.bins(0, f), *q = in.bins(1, f);
        double sum = criterion.leaf(in.unit[0] * p[MISSING_BIN], in.unit[1] * q[MISSING_BIN]);
        for (int b = 0; b < in.features.n_bins[f]; b++) sum += criterion.leaf(in.unit[0] * p[b], in.unit[1] * q[b]);
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
