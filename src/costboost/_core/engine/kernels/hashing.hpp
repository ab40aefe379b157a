// Hashes of rows: a sum of the values' bits, each column with a factor of its own.
#pragma once

#include <cstdint>
#include <cstring>

#include "binning.hpp"

namespace costboost {

// The bits of a value as a single float: one zero, and one missing value, whatever its sign.
template <typename T>
inline uint64_t word_of(T value) {
    float single = static_cast<float>(value) + 0.0f;
    uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    return single == single ? bits : 0x7FC00000u;
}

// total[i] += sum over j of factor[j] * word(x[i, j]), modulo 2^64.
template <typename T>
void add_hashes(const Matrix<T>& x, const uint64_t* factor, uint64_t* total) {
    if (x.n_columns > 1 && x.column_stride <= x.row_stride) {
        for (int64_t i = 0; i < x.n_rows; ++i) {
            uint64_t sum = 0;
            for (int64_t j = 0; j < x.n_columns; ++j) sum += factor[j] * word_of(x.at(i, j));
            total[i] += sum;
        }
        return;
    }
    for (int64_t j = 0; j < x.n_columns; ++j)
        for (int64_t i = 0; i < x.n_rows; ++i) total[i] += factor[j] * word_of(x.at(i, j));
}

}  // namespace costboost
