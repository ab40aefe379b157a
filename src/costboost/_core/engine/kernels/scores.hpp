// Losses of several scores of each row, one for each class, and the pieces of Newton's next step.
#pragma once

#include <limits>
#include <vector>

#include "rowwise.hpp"
#include "ties.hpp"

namespace costboost {

// Rows of several classes. The logarithm of a cost is added to the score of each class but the row's own.
struct ScoreRows {
    int64_t n;
    int n_classes;
    const int32_t* code;     // class of each row
    const double* start;     // weight of each row
    const double* log_cost;  // of each class (row) and prediction (column), 0 on the diagonal; null if all are 0
    bool exponential;        // whether the loss is the sum of e^(F_k - F_y) over the other classes, instead of log(1 + the sum)
};

// Scores F + step * direction, class after class: n_classes x n. Without a direction, the scores themselves.
struct MovedScores {
    const double *score, *direction;
    double step;
};

// Where loss, response times weight, and weight are written; the last two, n_classes x n, may be null.
struct ScoreOutput {
    double *loss, *response, *weight;
};

constexpr int64_t SCORE_ROWS = 128;                            // rows whose scores are in the fastest cache
constexpr double LEAST_SHARE = 1e-10;                          // shares of the classes and their complements are clipped to this
constexpr double LEAST_EXPONENT = -230, MOST_EXPONENT = 700;   // of e^(F_k - F_y): weights are never 0

COSTBOOST_INLINE double clipped_share(double share) {
    return share < LEAST_SHARE ? LEAST_SHARE : share > 1 - LEAST_SHARE ? 1 - LEAST_SHARE : share;
}

// Scores of m rows from `begin` on, costs included, and that of each row's own class.
COSTBOOST_INLINE void scores_of_block(const ScoreRows& rows, const MovedScores& at, int64_t begin, int64_t m, double* t, double* own) {
    const int32_t* code = rows.code + begin;
    for (int k = 0; k < rows.n_classes; k++) {
        const int64_t first = k * rows.n + begin;
        double* out = t + k * SCORE_ROWS;
        for (int64_t i = 0; i < m; i++) out[i] = at.score[first + i];
        if (at.direction)
            for (int64_t i = 0; i < m; i++) out[i] += at.step * at.direction[first + i];
        if (rows.log_cost)
            for (int64_t i = 0; i < m; i++) out[i] += rows.log_cost[static_cast<int64_t>(code[i]) * rows.n_classes + k];
    }
    for (int64_t i = 0; i < m; i++) own[i] = t[code[i] * SCORE_ROWS + i];
}

// log(1 + sum of e^(t_k - t_y)): shares of the classes are e^t_k by their sum, and their complements are sums of the others, so that
// nothing cancels. `rest` is n_classes x SCORE_ROWS.
COSTBOOST_DISPATCH inline void log_losses_of_block(const ScoreRows& rows, int64_t begin, int64_t m, double* t, const double* own,
                                                   double* rest, const ScoreOutput& out, double* greatest) {
    const int n_classes = rows.n_classes;
    const int32_t* code = rows.code + begin;
    const double* start = rows.start + begin;
    double top[SCORE_ROWS], total[SCORE_ROWS];
    for (int64_t i = 0; i < m; i++) top[i] = t[i], total[i] = 0;
    for (int k = 1; k < n_classes; k++)
        for (int64_t i = 0; i < m; i++) top[i] = t[k * SCORE_ROWS + i] > top[i] ? t[k * SCORE_ROWS + i] : top[i];
    for (int k = 0; k < n_classes; k++) {
        double *e = t + k * SCORE_ROWS, *before = rest + k * SCORE_ROWS;
        for (int64_t i = 0; i < m; i++) {
            const double beyond = e[i] - top[i];
            e[i] = exponential(beyond < -FARTHEST ? -FARTHEST : beyond);
            before[i] = total[i];
            total[i] += e[i];
        }
    }
    double after[SCORE_ROWS];
    for (int64_t i = 0; i < m; i++) after[i] = 0;
    for (int k = n_classes - 1; k >= 0; k--)
        for (int64_t i = 0; i < m; i++) {
            rest[k * SCORE_ROWS + i] += after[i];
            after[i] += t[k * SCORE_ROWS + i];
        }
    double* loss = out.loss + begin;
    for (int64_t i = 0; i < m; i++) {
        const double others = own[i] == top[i] ? rest[code[i] * SCORE_ROWS + i] : total[i] - 1;
        loss[i] = start[i] * (top[i] - own[i] + elementary::log1p(others));
    }
    greatest[0] = std::max(greatest[0], greatest_size(loss, m));
    if (!out.response) return;
    for (int64_t i = 0; i < m; i++) total[i] = 1 / total[i];
    for (int k = 0; k < n_classes; k++) {
        double *response = out.response + k * rows.n + begin, *weight = out.weight + k * rows.n + begin;
        const double *e = t + k * SCORE_ROWS, *others = rest + k * SCORE_ROWS;
        for (int64_t i = 0; i < m; i++) {
            const double share = clipped_share(e[i] * total[i]), complement = clipped_share(others[i] * total[i]);
            response[i] = start[i] * (code[i] == k ? complement : -share);
            weight[i] = start[i] * (share * complement);
        }
        greatest[1 + k] = std::max(greatest[1 + k], greatest_size(response, m));
        greatest[1 + n_classes + k] = std::max(greatest[1 + n_classes + k], greatest_size(weight, m));
    }
}

// The sum of e^(t_k - t_y) over the other classes.
COSTBOOST_DISPATCH inline void sum_losses_of_block(const ScoreRows& rows, int64_t begin, int64_t m, double* t, const double* own,
                                                   const ScoreOutput& out, double* greatest) {
    const int n_classes = rows.n_classes;
    const int32_t* code = rows.code + begin;
    const double* start = rows.start + begin;
    double* loss = out.loss + begin;
    for (int64_t i = 0; i < m; i++) loss[i] = 0;
    for (int k = 0; k < n_classes; k++) {
        double* e = t + k * SCORE_ROWS;
        for (int64_t i = 0; i < m; i++) {
            const double beyond = e[i] - own[i];
            const double size = beyond < LEAST_EXPONENT ? LEAST_EXPONENT : beyond > MOST_EXPONENT ? MOST_EXPONENT : beyond;
            e[i] = code[i] == k ? 0 : start[i] * exponential(size);
            loss[i] += e[i];
        }
    }
    greatest[0] = std::max(greatest[0], greatest_size(loss, m));
    if (!out.response) return;
    for (int k = 0; k < n_classes; k++) {
        double *response = out.response + k * rows.n + begin, *weight = out.weight + k * rows.n + begin;
        const double* e = t + k * SCORE_ROWS;
        for (int64_t i = 0; i < m; i++) {
            weight[i] = code[i] == k ? loss[i] : e[i];
            response[i] = code[i] == k ? loss[i] : -e[i];
        }
        const double most = greatest_size(weight, m);
        for (int j : {1 + k, 1 + n_classes + k}) greatest[j] = std::max(greatest[j], most);
    }
}

// Losses of all rows and, where wanted, response and weight of every class. Returns the greatest loss, then the greatest response of
// each class, then the greatest weight of each.
inline std::vector<double> score_losses(const ScoreRows& rows, const MovedScores& at, const ScoreOutput& out, int n_threads) {
    std::vector<double> greatest(static_cast<size_t>(1 + 2 * rows.n_classes), 0.0);
    const size_t block = static_cast<size_t>(rows.n_classes) * SCORE_ROWS;
    struct Own {
        std::vector<double> greatest, space;
    };
    over_short_blocks(
        rows.n, n_threads, Own{greatest, std::vector<double>(2 * block)},
        [&](int64_t a, int64_t size, Own& mine) {
            double own[SCORE_ROWS], *t = mine.space.data();
            for (int64_t begin = a; begin < a + size; begin += SCORE_ROWS) {
                const int64_t m = std::min(SCORE_ROWS, a + size - begin);
                scores_of_block(rows, at, begin, m, t, own);
                if (rows.exponential)
                    sum_losses_of_block(rows, begin, m, t, own, out, mine.greatest.data());
                else
                    log_losses_of_block(rows, begin, m, t, own, t + block, out, mine.greatest.data());
            }
        },
        [&](const Own& mine) {
            for (size_t k = 0; k < greatest.size(); k++) greatest[k] = std::max(greatest[k], mine.greatest[k]);
        });
    return greatest;
}

// The class of the greatest score of m rows from `begin` on; the first one of those that are equal.
COSTBOOST_DISPATCH inline void decisions_of_block(const double* score, int64_t n, int n_classes, int64_t begin, int64_t m, int32_t* decided) {
    double limit[SCORE_ROWS], size[SCORE_ROWS];
    for (int64_t i = 0; i < m; i++) limit[i] = -std::numeric_limits<double>::infinity(), size[i] = 0, decided[i] = 0;
    for (int k = 0; k < n_classes; k++) {
        const double* own = score + k * n + begin;
        for (int64_t i = 0; i < m; i++) {
            limit[i] = own[i] > limit[i] ? own[i] : limit[i];
            size[i] = std::fabs(own[i]) > size[i] ? std::fabs(own[i]) : size[i];
        }
    }
    for (int64_t i = 0; i < m; i++) limit[i] -= TIE * size[i];
    for (int k = n_classes - 1; k >= 0; k--) {
        const double* own = score + k * n + begin;
        for (int64_t i = 0; i < m; i++) decided[i] = own[i] >= limit[i] ? k : decided[i];
    }
}

// Adds up the weights of the rows of each class (row) whose greatest score, n_classes x n, is that of each class (column), in quanta.
inline void sum_decisions(const ScoreRows& rows, const double* score, double scale, int64_t* sums, int n_threads) {
    const size_t n_cells = static_cast<size_t>(rows.n_classes) * rows.n_classes;
    std::fill(sums, sums + n_cells, 0);
    over_short_blocks(
        rows.n, n_threads, std::vector<int64_t>(n_cells, 0),
        [&](int64_t a, int64_t size, std::vector<int64_t>& mine) {
            int32_t decided[SCORE_ROWS];
            for (int64_t begin = a; begin < a + size; begin += SCORE_ROWS) {
                const int64_t m = std::min(SCORE_ROWS, a + size - begin);
                decisions_of_block(score, rows.n, rows.n_classes, begin, m, decided);
                for (int64_t i = 0; i < m; i++)
                    mine[static_cast<size_t>(rows.code[begin + i]) * rows.n_classes + decided[i]] += std::llrint(rows.start[begin + i] * scale);
            }
        },
        [&](const std::vector<int64_t>& mine) {
            for (size_t k = 0; k < n_cells; k++) sums[k] += mine[k];
        });
}

}  // namespace costboost
