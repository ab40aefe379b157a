// Long work asks now and then whether it is to go on.
#pragma once

#include <cstdint>
#include <exception>

namespace costboost {

struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

struct Interrupt {
    int (*asked)() = nullptr;  // not 0 where the work is to end
    int64_t cells = 0;         // rows x features since it was asked last

    // After work on so many cells; several times a second.
    void after(int64_t n_cells) {
        cells += n_cells;
        if (cells < (int64_t{1} << 24)) return;
        cells = 0;
        if (asked && asked()) throw Interrupted();
    }
};

}  // namespace costboost
