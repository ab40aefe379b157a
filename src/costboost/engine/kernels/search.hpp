// The best split of a histogram. Candidates are ordered by feature, threshold, polarity; among those within TIE of
// the least criterion the first one wins, whatever the number of threads.
#pragma once

#include <memory>
#include <type_traits>

#include "common.hpp"
#include "joint.hpp"

namespace costboost {

constexpr double TIE = 1e-12;

// What a split is judged by. Weights are shares of the total, so that TIE means the same everywhere.
enum class Criterion : int {
    VOTE = 0,         // weighted error of one vote, sign p on the right and -p on the left; two constants compete
    LEAF_ERROR = 1,   // weighted error when each side follows its own majority
    EXPONENTIAL = 2,  // exponential loss when each side takes its best value, shares smoothed by `smoothing`
    SQUARED = 3,      // squared error when each side takes its mean label
    COST_EXPONENTIAL = 4,  // exponential loss whose margin is multiplied by the class's cost, each side at its best value
    SQUARES = 5,      // weighted squares of a regression: the two sums are response and weight instead of classes
    JOINT = 6,        // exponential loss, margins times costs, of one vote with its own best step; two constants compete
    ENTROPY = 7,      // bits to tell the classes on each side
};

struct Split {
    int feature = -1;  // -1: a constant, everybody on the right
    int bin = 0;       // bins up to this one go left (ordered features)
    int polarity = 1;  // the vote of the right side, where sides vote
    int missing_left = 0;
    double value = std::numeric_limits<double>::infinity();
    int64_t cell[4] = {0, 0, 0, 0};  // quanta of positives left, right, negatives left, right
    uint8_t left[N_BINS] = {0};      // which bins go left, the missing one included
};

// Counts the rows in each bin of a feature, where a split has to leave either side enough of them.
struct RowCounts {
    // Fills rows[0], ..., rows[n_bins - 1] and rows[MISSING_BIN].
    virtual void of(int feature, int n_bins, int64_t* rows) const = 0;
    // Whether that takes less time than to judge as many splits.
    virtual bool cheap(int n_bins) const = 0;
    virtual ~RowCounts() = default;
};

// From a table of both classes, laid out as a histogram.
struct CountTable : RowCounts {
    CountTable(const int64_t* counts, int n_features) : counts_(counts), n_features_(n_features) {}
    void of(int feature, int n_bins, int64_t* rows) const override {
        const int64_t* p = counts_ + static_cast<int64_t>(feature) * N_BINS;
        const int64_t* q = p + static_cast<int64_t>(n_features_) * N_BINS;
        for (int b = 0; b < n_bins; b++) rows[b] = p[b] + q[b];
        rows[MISSING_BIN] = p[MISSING_BIN] + q[MISSING_BIN];
    }
    bool cheap(int) const override { return true; }

  private:
    const int64_t* counts_;
    int n_features_;
};

struct SearchInput {
    const int64_t* histogram;  // 2 x n_features x 256
    int n_features;
    double unit[2];  // what a quantum of each class is worth
    const int32_t* n_bins;
    const uint8_t* categorical;
    const RowCounts* counts = nullptr;  // none where min_samples_leaf is 1
    int64_t min_samples_leaf;
    Criterion criterion;
    double smoothing;
    double cost[2];  // of a mistake on either class, for the criteria that ask for it
    uint8_t* hopeless = nullptr;  // marks features to leave out, and gets marks for those whose splits all leave a side too few rows
};

// What a side with shares p and q of the two classes adds to the criterion.
struct LeafLoss {
    Criterion criterion;
    double smoothing, cost[2];

    static double exponential(double p, double q, double e) {
        if (e == 0) return 2 * std::sqrt(p * q);
        return (p * (q + e) + q * (p + e)) / std::sqrt((p + e) * (q + e));
    }
    static double squares(double p, double q) {
        const double sum = q > 0 ? p : 0;
        return -sum * sum / (q > 0 ? q : 1);
    }
    static double squared(double p, double q) { return 4 * p * q / (p + q > 0 ? p + q : 1); }
    static double error(double p, double q) { return p < q ? p : q; }
    static double entropy(double p, double q) {
        if (!(p > 0 && q > 0)) return 0;
        return p * std::log2((p + q) / p) + q * std::log2((p + q) / q);
    }

    double operator()(double p, double q) const {
        const double e = smoothing;
        switch (criterion) {
            case Criterion::EXPONENTIAL: return exponential(p, q, e);
            case Criterion::SQUARES: return squares(p, q);
            case Criterion::SQUARED: return squared(p, q);
            case Criterion::ENTROPY: return entropy(p, q);
            case Criterion::COST_EXPONENTIAL: {
                const double g = std::log((p + e) * cost[0] / ((q + e) * cost[1])) / (cost[0] + cost[1]);
                return p * std::exp(-cost[0] * g) + q * std::exp(cost[1] * g);
            }
            default: return error(p, q);
        }
    }
};

// About base^exponent, to 1e-11 of its size, in operations that a compiler can do for several values at once.
inline double roughly_power(double base, double exponent) {
    uint64_t bits;
    std::memcpy(&bits, &base, 8);
    const uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
    double m;
    std::memcpy(&m, &mantissa, 8);
    const int high = m > 1.4142135623730951 ? 1 : 0;
    const double whole = static_cast<double>(static_cast<int32_t>(bits >> 52) - 1023 + high);
    m = high ? 0.5 * m : m;
    const double s = (m - 1) / (m + 1), t = s * s;  // log m = 2 artanh s
    const double series = 1 + t * (1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t / 13)))));
    const double x = exponent * (whole + 2.885390081777926815 * s * series);
    const double n = std::nearbyint(x), f = (x - n) * 0.69314718055994530942;
    const double e = 1 + f * (1 + f / 2 * (1 + f / 3 * (1 + f / 4 * (1 + f / 5 * (1 + f / 6 * (1 + f / 7 * (1 + f / 8 * (1 + f / 9 * (1 + f / 10)))))))));
    const uint64_t scale = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(n) + 1023)) << 52;
    double power;
    std::memcpy(&power, &scale, 8);
    return e * power;
}

// The criterion of n splits, from the sums on the left, p and q, and those of all. Where each side has a loss of costs,
// it is only roughly so.
COSTBOOST_DISPATCH inline void split_losses(const LeafLoss& loss, const int64_t* p, const int64_t* q, int n, const int64_t (&total)[2],
                                            const double (&share)[2], double* value) {
    const double a = share[0], b = share[1], e = loss.smoothing;
    const int64_t all_p = total[0], all_q = total[1];
    double p_left[N_BINS], q_left[N_BINS], p_right[N_BINS], q_right[N_BINS];
    for (int k = 0; k < n; k++) {
        p_left[k] = a * static_cast<double>(p[k]);
        q_left[k] = b * static_cast<double>(q[k]);
        p_right[k] = a * static_cast<double>(all_p - p[k]);
        q_right[k] = b * static_cast<double>(all_q - q[k]);
    }
    switch (loss.criterion) {
        case Criterion::EXPONENTIAL:
            if (e == 0)
                for (int k = 0; k < n; k++)
                    value[k] = 2 * std::sqrt(p_left[k] * q_left[k]) + 2 * std::sqrt(p_right[k] * q_right[k]);
            else
                for (int k = 0; k < n; k++)
                    value[k] = LeafLoss::exponential(p_left[k], q_left[k], e) + LeafLoss::exponential(p_right[k], q_right[k], e);
            break;
        case Criterion::SQUARES:
            for (int k = 0; k < n; k++) value[k] = LeafLoss::squares(p_left[k], q_left[k]) + LeafLoss::squares(p_right[k], q_right[k]);
            break;
        case Criterion::SQUARED:
            for (int k = 0; k < n; k++) value[k] = LeafLoss::squared(p_left[k], q_left[k]) + LeafLoss::squared(p_right[k], q_right[k]);
            break;
        case Criterion::ENTROPY:
            for (int k = 0; k < n; k++) value[k] = LeafLoss::entropy(p_left[k], q_left[k]) + LeafLoss::entropy(p_right[k], q_right[k]);
            break;
        case Criterion::COST_EXPONENTIAL: {
            // with R the smoothed ratio of the two sums times costs and t = C+ / (C+ + C-): R^-t (p + q R)
            const double ratio = loss.cost[0] / loss.cost[1], power = -loss.cost[0] / (loss.cost[0] + loss.cost[1]);
            for (int k = 0; k < n; k++) {
                const double odds = (p_left[k] + e) / (q_left[k] + e) * ratio;
                value[k] = roughly_power(odds, power) * (p_left[k] + q_left[k] * odds);
            }
            for (int k = 0; k < n; k++) {
                const double odds = (p_right[k] + e) / (q_right[k] + e) * ratio;
                value[k] += roughly_power(odds, power) * (p_right[k] + q_right[k] * odds);
            }
            break;
        }
        default:
            for (int k = 0; k < n; k++) value[k] = LeafLoss::error(p_left[k], q_left[k]) + LeafLoss::error(p_right[k], q_right[k]);
    }
}

constexpr int LANES = 8;  // independent minima, or each would wait for the one before

COSTBOOST_DISPATCH inline double least_value(const double* value, int n) {
    double low[LANES];
    std::fill(low, low + LANES, std::numeric_limits<double>::infinity());
    int k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int lane = 0; lane < LANES; lane++) low[lane] = value[k + lane] < low[lane] ? value[k + lane] : low[lane];
    for (; k < n; k++) low[0] = value[k] < low[0] ? value[k] : low[0];
    return *std::min_element(low, low + LANES);
}

// Least and greatest of a p - b q; n is at most 256.
COSTBOOST_DISPATCH inline void difference_range(const int64_t* p, const int64_t* q, int n, double a, double b, double* range) {
    double x[N_BINS];
    for (int k = 0; k < n; k++) x[k] = a * static_cast<double>(p[k]) - b * static_cast<double>(q[k]);
    for (int k = n; k < N_BINS && k % LANES; k++) x[k] = x[0];
    double low[LANES], high[LANES];
    for (int lane = 0; lane < LANES; lane++) low[lane] = high[lane] = x[0];
    for (int k = 0; k < n; k += LANES) {
        for (int lane = 0; lane < LANES; lane++) low[lane] = x[k + lane] < low[lane] ? x[k + lane] : low[lane];
        for (int lane = 0; lane < LANES; lane++) high[lane] = x[k + lane] > high[lane] ? x[k + lane] : high[lane];
    }
    range[0] = *std::min_element(low, low + LANES);
    range[1] = *std::max_element(high, high + LANES);
}

class Search {
  public:
    explicit Search(const SearchInput& in) : in_(in) {
        for (int z = 0; z < 2; z++) {
            const int64_t* first = in.histogram + (static_cast<int64_t>(z) * in.n_features) * N_BINS;
            total_[z] = first[MISSING_BIN];
            for (int b = 0; b < in.n_bins[0]; b++) total_[z] += first[b];
        }
        const double sum = in.unit[0] * total_[0] + in.unit[1] * total_[1];
        for (int z = 0; z < 2; z++) share_[z] = sum > 0 ? in.unit[z] / sum : 0;
    }

    // `relative`: shares are of the histogram's own total; else units are taken as they are (a node of a tree).
    Split best(bool relative, int n_threads) {
        if (!relative)
            for (int z = 0; z < 2; z++) share_[z] = in_.unit[z];
        if (in_.criterion == Criterion::JOINT) rule_out(n_threads);
        // Rows are counted only of features that may hold the best split: what is least without regard to rows is a bound.
        std::vector<uint8_t> counted(in_.n_features);
        for (int f = 0; f < in_.n_features; f++) counted[f] = !in_.counts || in_.counts->cheap(in_.n_bins[f]);
        std::vector<double> least(in_.n_features);
        const int64_t parts = chunk_count(in_.n_features, 32, n_threads);
        for_chunks(parts, n_threads, [&](int64_t chunk, int) {
            const Range features = Range{0, in_.n_features}.part(chunk, parts);
            for (int64_t f = features.begin; f < features.end; f++) least[f] = least_of(static_cast<int>(f), counted[f]);
        });
        const bool constants = votes();
        const double constant[2] = {vote_value({0, 0}, 1), vote_value({0, 0}, -1)};
        double minimum = std::numeric_limits<double>::infinity();
        if (constants) minimum = std::min(constant[0], constant[1]);
        std::vector<int> bounded;  // features of which there is only a bound, the lowest on top
        for (int f = 0; f < in_.n_features; f++) {
            if (counted[f])
                minimum = std::min(minimum, least[f]);
            else if (!std::isinf(least[f]))
                bounded.push_back(f);
        }
        const auto higher = [&](int a, int b) { return least[a] > least[b]; };
        std::make_heap(bounded.begin(), bounded.end(), higher);
        while (!bounded.empty() && least[bounded.front()] <= minimum + TIE) {
            const int f = bounded.front();
            std::pop_heap(bounded.begin(), bounded.end(), higher);
            bounded.pop_back();
            least[f] = least_of(f, true);
            counted[f] = 1;
            minimum = std::min(minimum, least[f]);
        }
        if (in_.hopeless)  // in a part of these rows, too; unless other orders of categories allow other splits
            for (int f = 0; f < in_.n_features; f++)
                if (counted[f] && std::isinf(least[f]) && !in_.categorical[f]) in_.hopeless[f] = 1;
        Split split;
        for (int f = 0; f < in_.n_features; f++) {
            if (!(least[f] <= minimum + TIE) || std::isinf(least[f])) continue;
            Sequence seq;
            load(f, seq, true);
            scan(f, seq, minimum + TIE, &split);
            return split;
        }
        if (constants) {
            split.polarity = constant[0] <= minimum + TIE ? 1 : -1;
            split.value = constant[split.polarity == 1 ? 0 : 1];
            split.cell[1] = total_[0];
            split.cell[3] = total_[1];
        }
        return split;
    }

  private:
    // One feature's sums up to and including each bin, in the order in which bins may be split.
    struct Sequence {
        int n = 0;
        int64_t up_to[2][N_BINS];
        int64_t missing[2];
        bool counted = false;  // whether the rows are known
        int64_t rows_up_to[N_BINS];
        int64_t rows_missing = 0;
        uint8_t order[N_BINS];
    };

    struct Quanta {
        int64_t positive, negative;
    };

    const SearchInput& in_;
    int64_t total_[2];
    double share_[2];
    std::unique_ptr<PairLoss> pair_;  // for votes chosen together with their steps
    std::unique_ptr<Frontier> frontier_;
    double guess_ = 0;

    bool votes() const { return in_.criterion == Criterion::VOTE || in_.criterion == Criterion::JOINT; }

    // What is wrong if the rows on the left vote against the polarity and all others for it.
    void wrong(Quanta left, int polarity, double (&out)[2]) const {
        out[0] = share_[0] * (polarity == 1 ? left.positive : total_[0] - left.positive);
        out[1] = share_[1] * (polarity == 1 ? total_[1] - left.negative : left.negative);
    }
    double vote_value(Quanta left, int polarity) const {
        if (in_.criterion == Criterion::VOTE) {
            const double tilt = share_[0] * left.positive - share_[1] * left.negative;
            return polarity == 1 ? share_[1] * total_[1] + tilt : share_[0] * total_[0] - tilt;
        }
        if (in_.criterion != Criterion::JOINT) return std::numeric_limits<double>::infinity();
        double shares[2];
        wrong(left, polarity, shares);
        return frontier_->may_win(shares) ? pair_->least(shares, guess_) : std::numeric_limits<double>::infinity();
    }

    // A good vote with its step, found by turns, sets the level that all others have to reach. For a given step the loss is
    // linear in what is wrong: the best vote for it is that of least error under other weights.
    void rule_out(int n_threads) {
        const double totals[2] = {share_[0] * total_[0], share_[1] * total_[1]};
        pair_ = std::make_unique<PairLoss>(totals, in_.cost);
        double level = std::numeric_limits<double>::infinity();
        for (int turn = 0; turn < 20; turn++) {
            SearchInput given = in_;
            given.criterion = Criterion::VOTE;
            for (int z = 0; z < 2; z++) {
                const double rate = pair_->rate(z);
                given.unit[z] = share_[z] * (guess_ > 0 ? std::sinh(rate * std::min(guess_, Frontier::LARGEST_STEP)) : rate);
            }
            const Split split = Search(given).best(true, n_threads);
            double shares[2];
            wrong({split.cell[0], split.cell[2]}, split.polarity, shares);
            const double loss = pair_->least(shares, guess_);
            if (!(loss < level - 1e-15)) break;
            level = loss;
            guess_ = pair_->step(shares, guess_);
            if (guess_ == 0) break;
        }
        frontier_ = std::make_unique<Frontier>(*pair_, level + 3 * TIE, guess_);
    }

    const int64_t* bins(int z, int f) const { return in_.histogram + (static_cast<int64_t>(z) * in_.n_features + f) * N_BINS; }

    // Least criterion of a feature's splits, or a bound of it: without regard to the number of rows.
    double least_of(int f, bool with_rows) const {
        if (in_.hopeless && in_.hopeless[f]) return std::numeric_limits<double>::infinity();
        if (plain(f)) return least_plain(f, with_rows && in_.counts);
        Sequence seq;
        load(f, seq, with_rows);
        return scan(f, seq, -std::numeric_limits<double>::infinity(), nullptr);
    }

    void load(int f, Sequence& seq, bool with_rows) const {
        const int64_t *p = bins(0, f), *q = bins(1, f);
        seq.n = in_.n_bins[f];
        if (in_.categorical[f]) order_categories(p, q, seq);
        int64_t sum_p = 0, sum_q = 0;
        if (in_.categorical[f]) {
            for (int k = 0; k < seq.n; k++) {
                seq.up_to[0][k] = sum_p += p[seq.order[k]];
                seq.up_to[1][k] = sum_q += q[seq.order[k]];
            }
        } else {
            for (int k = 0; k < seq.n; k++) {
                seq.up_to[0][k] = sum_p += p[k];
                seq.up_to[1][k] = sum_q += q[k];
            }
        }
        seq.missing[0] = p[MISSING_BIN];
        seq.missing[1] = q[MISSING_BIN];
        seq.counted = with_rows && in_.counts;
        if (!seq.counted) return;
        int64_t rows[N_BINS], sum = 0;
        in_.counts->of(f, in_.n_bins[f], rows);
        for (int k = 0; k < seq.n; k++) seq.rows_up_to[k] = sum += rows[in_.categorical[f] ? seq.order[k] : k];
        seq.rows_missing = rows[MISSING_BIN];
    }

    // Sorted by the share of positives, or the mean response, the best two-way partition is a prefix (Breiman et al. 1984, theorem 4.5).
    // Categories without weight take no part.
    void order_categories(const int64_t* p, const int64_t* q, Sequence& seq) const {
        double ratio[N_BINS];
        int n = 0;
        for (int b = 0; b < seq.n; b++) {
            const double first = share_[0] * p[b], second = share_[1] * q[b];
            const double whole = in_.criterion == Criterion::SQUARES ? second : first + second;
            if (!(whole > 0)) continue;
            ratio[b] = first / whole;
            seq.order[n++] = static_cast<uint8_t>(b);
        }
        std::stable_sort(seq.order, seq.order + n, [&](uint8_t a, uint8_t b) { return ratio[a] < ratio[b]; });
        seq.n = n;
    }

    bool too_few(const Sequence& seq, int k, int missing_left) const {
        if (!seq.counted) return false;
        const int64_t left = seq.rows_up_to[k] + (missing_left ? seq.rows_missing : 0);
        const int64_t all = seq.rows_up_to[seq.n - 1] + seq.rows_missing;
        return left < in_.min_samples_leaf || all - left < in_.min_samples_leaf;
    }

    // The common case of scan, without its branches: ordered bins.
    bool plain(int f) const {
        return in_.criterion != Criterion::JOINT && !in_.categorical[f] &&
               !(rough() && !(std::fabs(std::log(in_.cost[0] / in_.cost[1])) < 500));
    }
    bool rough() const { return in_.criterion == Criterion::COST_EXPONENTIAL; }
    double least_plain(int f, bool with_rows) const {
        const int64_t *p = bins(0, f), *q = bins(1, f);
        const int n = in_.n_bins[f] - 1;
        if (n < 1) return std::numeric_limits<double>::infinity();
        int64_t up_to[2][N_BINS];
        int64_t sum_p = 0, sum_q = 0;
        for (int k = 0; k < n; k++) {
            up_to[0][k] = sum_p += p[k];
            up_to[1][k] = sum_q += q[k];
        }
        Range allowed[2] = {{0, n}, {0, n}};  // missing values right, left
        if (with_rows) enough_rows(f, allowed);
        const double least = least_among(up_to[0], up_to[1], allowed[0]);
        const int64_t missing[2] = {p[MISSING_BIN], q[MISSING_BIN]};
        if (missing[0] == 0 && missing[1] == 0) return least;
        const int64_t present[2] = {sum_p + p[n], sum_q + q[n]};
        int m = 0;
        for (int64_t k = allowed[1].begin; k < allowed[1].end; k++) {
            const bool can_take = up_to[0][k] < present[0] || up_to[1][k] < present[1];
            up_to[0][m] = up_to[0][k] + missing[0];
            up_to[1][m] = up_to[1][k] + missing[1];
            m += can_take;
        }
        return std::min(least, least_among(up_to[0], up_to[1], {0, m}));
    }
    // The splits that leave either side enough rows, with missing values right and left.
    void enough_rows(int f, Range (&allowed)[2]) const {
        const int n = in_.n_bins[f];
        int64_t rows[N_BINS], up_to[N_BINS], sum = 0;
        in_.counts->of(f, n, rows);
        for (int k = 0; k < n; k++) up_to[k] = sum += rows[k];
        const int64_t missing = rows[MISSING_BIN], all = sum + missing, least = in_.min_samples_leaf;
        for (int left = 0; left < 2; left++) {
            const int64_t joined = left * missing;
            const int64_t* begin = std::lower_bound(up_to, up_to + n - 1, least - joined);
            const int64_t* end = std::upper_bound(begin, const_cast<const int64_t*>(up_to) + n - 1, all - least - joined);
            allowed[left] = {begin - up_to, end - up_to};
        }
    }
    static constexpr int FEW_SPLITS = 2;  // are judged one by one
    double value_of(Quanta left, const LeafLoss& loss) const {
        if (in_.criterion == Criterion::VOTE) return std::min(vote_value(left, 1), vote_value(left, -1));
        return leaves(loss, left.positive, left.negative);
    }
    // Of some splits, from the sums on the left.
    double least_among(const int64_t* p, const int64_t* q, Range splits) const {
        p += splits.begin;
        q += splits.begin;
        const int n = static_cast<int>(splits.size());
        const LeafLoss loss{in_.criterion, in_.smoothing, {in_.cost[0], in_.cost[1]}};
        if (n <= FEW_SPLITS) {
            double least = std::numeric_limits<double>::infinity();
            for (int k = 0; k < n; k++) least = std::min(least, value_of({p[k], q[k]}, loss));
            return least;
        }
        if (in_.criterion == Criterion::VOTE) {
            double range[2];
            difference_range(p, q, n, share_[0], share_[1], range);
            return std::min(share_[1] * total_[1] + range[0], share_[0] * total_[0] - range[1]);
        }
        double value[N_BINS];
        split_losses(loss, p, q, n, total_, share_, value);
        double least = least_value(value, n);
        if (!rough()) return least;
        const double near = least + 1e-9 * least;
        least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < n; k++)
            if (value[k] <= near) least = std::min(least, leaves(loss, p[k], q[k]));
        return least;
    }
    template <typename Leaf>
    double leaves(Leaf leaf, int64_t p, int64_t q) const {
        return leaf(share_[0] * p, share_[1] * q) + leaf(share_[0] * (total_[0] - p), share_[1] * (total_[1] - q));
    }

    // Least criterion over the feature's candidates; where `found` is given, the first candidate not above the limit.
    double scan(int f, const Sequence& seq, double limit, Split* found) const {
        if (votes()) return scan_votes(f, seq, limit, found);
        // One copy of the loop for each criterion, so that the switch is outside of it.
        const LeafLoss loss{in_.criterion, in_.smoothing, {in_.cost[0], in_.cost[1]}};
        auto scan_with = [&](auto criterion) {
            return scan_leaves(f, seq, limit, found, [loss](double p, double q) {
                return LeafLoss{decltype(criterion)::value, loss.smoothing, {loss.cost[0], loss.cost[1]}}(p, q);
            });
        };
        switch (in_.criterion) {
            case Criterion::EXPONENTIAL: return scan_with(std::integral_constant<Criterion, Criterion::EXPONENTIAL>());
            case Criterion::SQUARED: return scan_with(std::integral_constant<Criterion, Criterion::SQUARED>());
            case Criterion::SQUARES: return scan_with(std::integral_constant<Criterion, Criterion::SQUARES>());
            case Criterion::ENTROPY: return scan_with(std::integral_constant<Criterion, Criterion::ENTROPY>());
            case Criterion::COST_EXPONENTIAL: return scan_with(std::integral_constant<Criterion, Criterion::COST_EXPONENTIAL>());
            default: return scan_with(std::integral_constant<Criterion, Criterion::LEAF_ERROR>());
        }
    }

    double scan_votes(int f, const Sequence& seq, double limit, Split* found) const {
        const double inf = std::numeric_limits<double>::infinity();
        const bool some_missing = seq.missing[0] != 0 || seq.missing[1] != 0;
        double least = inf;
        for (int k = 0; k + 1 < seq.n; k++) {
            const Quanta present{seq.up_to[0][k], seq.up_to[1][k]};
            const Quanta with_missing{present.positive + seq.missing[0], present.negative + seq.missing[1]};
            const bool left_allowed = some_missing && can_take_missing(seq, k) && !too_few(seq, k, 1);
            const bool right_allowed = !too_few(seq, k, 0);
            for (int polarity = 1; polarity >= -1; polarity -= 2) {
                const double right = right_allowed ? vote_value(present, polarity) : inf;
                const double left = left_allowed ? vote_value(with_missing, polarity) : inf;
                const double value = std::min(left, right);
                if (found && value <= limit) return settle(f, seq, k, polarity, side(left, right, some_missing), value, found);
                least = std::min(least, value);
            }
        }
        return least;
    }

    template <typename Leaf>
    double scan_leaves(int f, const Sequence& seq, double limit, Split* found, Leaf leaf) const {
        const double inf = std::numeric_limits<double>::infinity();
        const bool some_missing = seq.missing[0] != 0 || seq.missing[1] != 0;
        double least = inf;
        for (int k = 0; k + 1 < seq.n; k++) {
            double value[2] = {inf, inf};  // missing values right, left
            for (int left = 0; left < (some_missing && can_take_missing(seq, k) ? 2 : 1); left++) {
                if (too_few(seq, k, left)) continue;
                const int64_t p = seq.up_to[0][k] + left * seq.missing[0], q = seq.up_to[1][k] + left * seq.missing[1];
                value[left] = leaves(leaf, p, q);
            }
            const double v = std::min(value[0], value[1]);
            if (found && v <= limit) return settle(f, seq, k, 1, side(value[1], value[0], some_missing), v, found);
            least = std::min(least, v);
        }
        return least;
    }

    // Where missing values go: the better side; without evidence, the heavier one.
    enum class Side { RIGHT, LEFT, HEAVIER };
    static Side side(double left, double right, bool some_missing) {
        if (!some_missing || std::fabs(left - right) <= TIE) return Side::HEAVIER;
        return left < right ? Side::LEFT : Side::RIGHT;
    }

    // Missing rows may join the left only where somebody present is left on the right.
    bool can_take_missing(const Sequence& seq, int k) const {
        return seq.up_to[0][k] < seq.up_to[0][seq.n - 1] || seq.up_to[1][k] < seq.up_to[1][seq.n - 1];
    }

    double settle(int f, const Sequence& seq, int k, int polarity, Side missing, double value, Split* out) const {
        double weight_left = 0, weight_right = 0;
        for (int z = in_.criterion == Criterion::SQUARES ? 1 : 0; z < 2; z++) {
            weight_left += share_[z] * seq.up_to[z][k];
            weight_right += share_[z] * (seq.up_to[z][seq.n - 1] - seq.up_to[z][k]);
        }
        const bool heavier_left = weight_right <= weight_left + TIE;
        bool missing_left = can_take_missing(seq, k) && (missing == Side::LEFT || (missing == Side::HEAVIER && heavier_left));
        if (missing == Side::HEAVIER && too_few(seq, k, missing_left)) missing_left = !missing_left;  // rows without weight
        out->feature = f;
        out->bin = k;
        out->polarity = polarity;
        out->missing_left = missing_left;
        out->value = value;
        if (in_.categorical[f]) {
            // categories nobody had here follow the heavier side, as missing values without evidence do
            std::fill(out->left, out->left + N_BINS, heavier_left ? 1 : 0);
            for (int i = 0; i < seq.n; i++) out->left[seq.order[i]] = i <= k;
        } else {
            for (int b = 0; b < N_BINS; b++) out->left[b] = b <= k;
        }
        out->left[MISSING_BIN] = missing_left;
        for (int z = 0; z < 2; z++) {
            const int64_t left = seq.up_to[z][k] + (missing_left ? seq.missing[z] : 0);
            out->cell[2 * z] = left;
            out->cell[2 * z + 1] = total_[z] - left;
        }
        return value;
    }
};

// The best split; counts: the rows in each bin, laid out as the histogram, or null.
inline Split best_split(SearchInput in, const int64_t* counts, bool relative, int n_threads) {
    const CountTable table(counts, in.n_features);
    in.counts = counts ? &table : nullptr;
    return Search(in).best(relative, n_threads);
}

// The criterion of every feature when each of its bins, the missing one included, is a leaf.
inline void table_losses(const SearchInput& in, double* out) {
    const LeafLoss loss{in.criterion, in.smoothing, {in.cost[0], in.cost[1]}};
    for (int f = 0; f < in.n_features; f++) {
        const int64_t* p = in.histogram + static_cast<int64_t>(f) * N_BINS;
        const int64_t* q = p + static_cast<int64_t>(in.n_features) * N_BINS;
        double sum = loss(in.unit[0] * p[MISSING_BIN], in.unit[1] * q[MISSING_BIN]);
        for (int b = 0; b < in.n_bins[f]; b++) sum += loss(in.unit[0] * p[b], in.unit[1] * q[b]);
        out[f] = sum;
    }
}

// The squares of a regression when a line in the values x (n_features x 255) of its bins is fitted, of every feature.
inline void line_losses(const SearchInput& in, const double* x, double* out) {
    for (int f = 0; f < in.n_features; f++, x += MISSING_BIN) {
        const int64_t* response = in.histogram + static_cast<int64_t>(f) * N_BINS;
        const int64_t* weight = response + static_cast<int64_t>(in.n_features) * N_BINS;
        double total = 0, sum = 0, first = 0;
        for (int b = 0; b < in.n_bins[f]; b++) {
            total += static_cast<double>(weight[b]);
            sum += static_cast<double>(response[b]);
            first += static_cast<double>(weight[b]) * x[b];
        }
        const double mean = first / total;
        double together = 0, spread = 0;
        for (int b = 0; b < in.n_bins[f]; b++) {
            const double centred = x[b] - mean;  // so that squares do not cancel
            together += static_cast<double>(response[b]) * centred;
            spread += static_cast<double>(weight[b]) * centred * centred;
        }
        const double scale = in.unit[0] * in.unit[0] / in.unit[1];
        out[f] = -scale * (sum * sum / total + (spread > 0 ? together * together / spread : 0));
    }
}

}  // namespace costboost
