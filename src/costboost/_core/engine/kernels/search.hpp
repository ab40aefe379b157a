// The best split of a histogram. Candidates are ordered by feature, threshold, polarity; among those within TIE of
// the least criterion the first one wins, whatever the number of threads.
#pragma once

#include <memory>

#include "bounds.hpp"
#include "drawing.hpp"
#include "joint.hpp"
#include "sequence.hpp"

namespace costboost {

class Search {
  public:
    explicit Search(const SearchInput& in) : in_(in), bounded_(in.criterion, in.bounds) {
        assert(in.features.n > 0);
        for (int z = 0; z < 2; z++) {
            if (in.total) {
                total_[z] = in.total[z];
                continue;
            }
            const BinSums first = in.sums(z, 0);
            total_[z] = first[MISSING_BIN];
            for (int b = 0; b < in.features.n_bins[0]; b++) total_[z] += first[b];
        }
        const double sum = in.unit[0] * total_[0] + in.unit[1] * total_[1];
        for (int z = 0; z < 2; z++) share_[z] = sum > 0 ? in.unit[z] / sum : 0;
    }

    // `relative`: shares are of the histogram's own total; else units are taken as they are (a node of a tree).
    Split best(bool relative, int n_threads) {
        std::vector<int> features;
        for (int f = 0; f < in_.features.n; f++)
            if (may_compete(f)) features.push_back(f);
        return best_among(features, relative, n_threads);
    }

    // Among some features that may compete, in increasing order.
    Split best_among(const std::vector<int>& features, bool relative, int n_threads) {
        if (!relative)
            for (int z = 0; z < 2; z++) share_[z] = in_.unit[z];
        if (in_.rows) return best_cut(features);
        if (in_.criterion.kind == Kind::JOINT) rule_out(features, n_threads);
        // Rows are counted, and squares evaluated to all digits, only of features that may hold the best split: for the others
        // there is a bound.
        const int64_t n = static_cast<int64_t>(features.size());
        std::vector<Candidate> found(features.size());
        const int64_t parts = chunk_count(n, 32, n_threads);
        for_chunks(parts, n_threads, [&](int64_t chunk, int) {
            const Range part = Range{0, n}.part(chunk, parts);
            for (int64_t k = part.begin; k < part.end; k++) found[k] = bound_of(features[k]);
        });
        const bool constants = in_.criterion.votes();
        const double constant[2] = {vote_value({0, 0}, 1), vote_value({0, 0}, -1)};
        double minimum = std::numeric_limits<double>::infinity();
        if (constants) minimum = std::min(constant[0], constant[1]);
        std::vector<int> bounded;  // candidates of which there is only a bound, the lowest on top
        for (int k = 0; k < n; k++) {
            if (found[k].exact)
                minimum = std::min(minimum, found[k].least);
            else if (!std::isinf(found[k].least))
                bounded.push_back(k);
        }
        const auto higher = [&](int a, int b) { return found[a].least > found[b].least; };
        std::make_heap(bounded.begin(), bounded.end(), higher);
        while (!bounded.empty() && found[bounded.front()].least <= minimum + TIE) {
            const int k = bounded.front(), f = features[k];
            std::pop_heap(bounded.begin(), bounded.end(), higher);
            bounded.pop_back();
            const bool counted = !in_.counts || !constrained(f) || found[k].without_rows || in_.heaviest || in_.counts->cheap(in_.features.n_bins[f]);
            found[k].least = least_of(f, counted);
            if (!counted) {  // rows are counted only if it is still among the best
                found[k].without_rows = true;
                bounded.push_back(k);
                std::push_heap(bounded.begin(), bounded.end(), higher);
                continue;
            }
            found[k].exact = true;
            minimum = std::min(minimum, found[k].least);
        }
        if (in_.hopeless && !in_.draws_cuts)  // in a part of these rows, too; unless other orders of categories allow other splits
            for (int k = 0; k < n; k++) {
                const int f = features[k];
                if (found[k].exact && std::isinf(found[k].least) && !in_.features.categorical[f] && !in_.features.direction(f)) in_.hopeless[f] = 1;
            }
        Split split;
        for (int k = 0; k < n; k++) {
            if (!(found[k].least <= minimum + TIE) || std::isinf(found[k].least)) continue;
            first_of_least(features[k], minimum + TIE, &split);
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

    // Of the cuts that are drawn for the rows of a node, one of each feature.
    Split best_cut(const std::vector<int>& features) const {
        assert(!in_.criterion.votes());
        Split split;
        double least[FEW_CUTS], minimum = std::numeric_limits<double>::infinity();
        const auto value_of_cut = [&](size_t k) { return k < FEW_CUTS ? least[k] : least_of(features[k], true); };
        for (size_t k = 0; k < features.size(); k++) {
            const double value = least_of(features[k], true);
            if (k < FEW_CUTS) least[k] = value;
            minimum = std::min(minimum, value);
        }
        if (std::isinf(minimum)) return split;
        size_t k = 0;
        while (!(value_of_cut(k) <= minimum + TIE)) k++;
        first_of_least(features[k], minimum + TIE, &split);
        return split;
    }

    // Whether a split that was found is better than none, or than a constant vote where these compete.
    bool gains(const Split& split) const {
        if (split.feature < 0 || in_.criterion.votes()) return split.feature >= 0;
        return bounded_.leaf(share_[0] * total_[0], share_[1] * total_[1]) - split.value > TIE;
    }

    // Whether a feature is allowed, and may have a split that leaves both sides enough rows.
    bool may_compete(int f) const { return (!in_.allowed || in_.allowed[f]) && !(in_.hopeless && in_.hopeless[f]); }

  private:
    static constexpr size_t FEW_CUTS = 64;  // whose values are kept
    struct Quanta {
        int64_t positive, negative;
    };
    // The least criterion of a feature's splits, exactly, or a bound of it.
    struct Candidate {
        double least;
        bool exact, without_rows;
    };

    const SearchInput& in_;
    BoundedCriterion bounded_;
    int64_t total_[2];
    double share_[2];
    std::unique_ptr<VoteLoss> vote_loss_;  // for votes chosen together with their steps
    std::unique_ptr<WinningVotes> winning_;
    double guess_ = 0;

    // What is wrong if the rows on the left vote against the polarity and all others for it.
    void wrong(Quanta left, int polarity, double (&out)[2]) const {
        out[0] = share_[0] * (polarity == 1 ? left.positive : total_[0] - left.positive);
        out[1] = share_[1] * (polarity == 1 ? total_[1] - left.negative : left.negative);
    }
    double vote_value(Quanta left, int polarity) const {
        if (in_.criterion.kind == Kind::VOTE) {
            const double tilt = share_[0] * left.positive - share_[1] * left.negative;
            return polarity == 1 ? share_[1] * total_[1] + tilt : share_[0] * total_[0] - tilt;
        }
        if (in_.criterion.kind != Kind::JOINT) return std::numeric_limits<double>::infinity();
        double shares[2];
        wrong(left, polarity, shares);
        return winning_->may_win(shares) ? vote_loss_->least(shares, guess_) : std::numeric_limits<double>::infinity();
    }

    // A good vote with its step, found by turns, sets the level that all others have to reach. For a given step the loss is
    // linear in what is wrong: the best vote for it is that of least error under other weights.
    void rule_out(const std::vector<int>& features, int n_threads) {
        const double totals[2] = {share_[0] * total_[0], share_[1] * total_[1]};
        vote_loss_ = std::make_unique<VoteLoss>(totals, in_.criterion.cost);
        double level = std::numeric_limits<double>::infinity();
        guess_ = 0;
        for (int turn = 0; turn < 20; turn++) {
            SearchInput given = in_;
            given.criterion.kind = Kind::VOTE;
            for (int z = 0; z < 2; z++) {
                const double rate = vote_loss_->rate(z);
                given.unit[z] = share_[z] * (guess_ > 0 ? elementary::sinh(rate * std::min(guess_, WinningVotes::LARGEST_STEP)) : rate);
            }
            const Split split = Search(given).best_among(features, true, n_threads);
            double shares[2];
            wrong({split.cell[0], split.cell[2]}, split.polarity, shares);
            const double loss = vote_loss_->least(shares, guess_);
            if (!(loss < level - 1e-15)) break;
            level = loss;
            guess_ = vote_loss_->step(shares, guess_);
            if (guess_ == 0) break;
        }
        winning_ = std::make_unique<WinningVotes>(*vote_loss_, level + 3 * TIE, guess_);
    }

    // Whether splits of the feature may have a greater criterion than that of their sums: sides in the wrong order, or out of bounds.
    bool constrained(int f) const { return !in_.criterion.votes() && (in_.features.direction(f) || in_.bounds.any()); }

    // Least criterion of a feature's splits, exactly, or a bound of it: to some digits, or without regard to the number of rows or
    // to constraints.
    Candidate bound_of(int f) const {
        const bool cheap = !in_.counts || in_.rows || in_.counts->cheap(in_.features.n_bins[f]);
        const bool bounded =
            in_.criterion.kind == Kind::SQUARES && !in_.features.categorical[f] && !in_.draws_cuts && in_.features.n_bins[f] > LANES;
        const bool unconstrained = constrained(f) && rough() && plain(f);  // as exponentials take long
        const double bound = bounded ? bound_of_squares(f, cheap && in_.counts) : least_of(f, cheap, unconstrained);
        return {bound, bounded || unconstrained ? std::isinf(bound) : cheap, !bounded && !unconstrained};
    }

    double least_of(int f, bool with_rows, bool unconstrained = false) const {
        if (plain(f)) return least_plain(f, with_rows && in_.counts, constrained(f) && !unconstrained);
        BinSequence seq;
        seq.load(in_, share_, f, with_rows);
        return scan(f, seq, -std::numeric_limits<double>::infinity(), nullptr);
    }

    // The first split not above the limit.
    void first_of_least(int f, double limit, Split* split) const {
        BinSequence seq;
        if (in_.counts && in_.heaviest && !in_.rows && !in_.features.categorical[f]) {
            seq.load(in_, share_, f, false);
            scan_near(f, seq, limit, split);
            const Range sure = surely_enough(in_, seq.up_to[1], seq.n - 1, seq.up_to[1][seq.n - 1]);
            if (sure.begin <= split->bin && split->bin < sure.end) return;
        }
        seq.load(in_, share_, f, true);
        scan_near(f, seq, limit, split);
    }

    // A scan for the first split not above the limit that leaves out what squares rule out.
    void scan_near(int f, BinSequence& seq, double limit, Split* split) const {
        const bool bounded = in_.criterion.kind == Kind::SQUARES && !in_.features.categorical[f] && !in_.draws_cuts;
        if (bounded && !seq.some_missing()) {
            const int64_t* q = seq.up_to[1];
            const int64_t begin = std::lower_bound(q, q + seq.n - 1, light_side()) - q;
            const int64_t end = std::lower_bound(q + begin, q + seq.n - 1, total_[1] - light_side()) - q;
            if (begin < end) {
                seq.splits = {0, begin};
                if (scan(f, seq, limit, split) <= limit) return;
                const LeftSums heavy{seq.up_to[0] + begin, q + begin, static_cast<int>(end - begin), total_, share_};
                seq.splits = {begin + first_below(heavy, limits_of(f), limit), seq.n - 1};
            }
        }
        scan(f, seq, limit, split);
    }
    SquaresLimits limits_of(int f) const { return {in_.bounds, in_.features.direction(f), in_.criterion.smoothing}; }
    int64_t light_side() const { return static_cast<int64_t>(static_cast<double>(total_[1]) * LEAST_SIDE) + 1; }

    // The common case of scan, without its branches: ordered bins.
    bool plain(int f) const {
        return in_.criterion.kind != Kind::JOINT && !in_.features.categorical[f] && !in_.draws_cuts &&
               !(rough() && !(std::fabs(elementary::log(in_.criterion.cost[0] / in_.criterion.cost[1])) < 500));
    }
    bool rough() const { return in_.criterion.kind == Kind::COST_EXPONENTIAL; }
    double least_plain(int f, bool with_rows, bool limited) const {
        if (in_.features.n_bins[f] < 2) return std::numeric_limits<double>::infinity();
        Prefix prefix;
        prefix.add_up(in_, f);
        const int n = prefix.n;
        const auto least_in = [&](Range splits) {
            const int direction = in_.features.direction(f);
            if (limited) return least_within(prefix.up_to[0] + splits.begin, prefix.up_to[1] + splits.begin, static_cast<int>(splits.size()), direction);
            return least_among(prefix.up_to[0], prefix.up_to[1], splits, direction);
        };
        if (with_rows && in_.heaviest && !prefix.some_missing()) {  // rows need not be counted if the best split has enough for sure
            const Range sure = surely_enough(in_, prefix.up_to[1], n, prefix.present[1]);
            const double least = least_in(sure);
            if (least <= least_in({0, sure.begin}) && least <= least_in({sure.end, n})) return least;
        }
        Range allowed[2] = {{0, n}, {0, n}};  // missing values right, left
        if (with_rows) enough_rows(f, allowed);
        const double least = least_in(allowed[0]);
        if (!prefix.some_missing()) return least;
        return std::min(least, least_in({0, prefix.take_missing(allowed[1])}));
    }

    // A bound of the criterion SQUARES of a feature with ordered bins; infinite if no split has enough rows.
    double bound_of_squares(int f, bool with_rows) const {
        const int n = in_.features.n_bins[f] - 1;
        Range allowed[2] = {{0, n}, {0, n}};
        if (with_rows) enough_rows(f, allowed);
        if (in_.words && in_.words[static_cast<int64_t>(f) * N_BINS + MISSING_BIN] == 0) {
            Word up_to[N_BINS];
            add_up_words(in_, f, static_cast<int>(allowed[0].end), up_to);
            return bound_among(LeftWords{up_to}, allowed[0], f);
        }
        Prefix prefix;
        prefix.add_up(in_, f);
        const double bound = bound_among(LeftPairs{prefix.up_to[0], prefix.up_to[1]}, allowed[0], f);
        if (!prefix.some_missing()) return bound;
        const int m = prefix.take_missing(allowed[1]);
        return std::min(bound, bound_among(LeftPairs{prefix.up_to[0], prefix.up_to[1]}, {0, m}, f));
    }
    // Of some splits. Those with a light side, the first and the last ones, are evaluated one by one; under constraints, too, or the
    // bound of each feature with an empty bin at an end would be the criterion of all rows together, out of bounds.
    template <typename Left>
    double bound_among(const Left& left, Range splits, int f) const {
        const bool limited = constrained(f);
        const int direction = in_.features.direction(f);
        const int64_t light = light_side();
        const Range heavy{left.first_of_weight(light, splits), left.first_of_weight(total_[1] - light, splits)};
        double bound = std::numeric_limits<double>::infinity();
        auto evaluate = [&](int64_t from, int64_t to) {
            for (int64_t k = from; k < to; k++)
                if (k == from || !left.equal(k, k - 1)) {
                    const int64_t p = left.response(k), q = left.weight(k);
                    bound = std::min(bound, limited ? leaves_within<Kind::SQUARES>(direction, p, q) : leaves(p, q));
                }
        };
        evaluate(splits.begin, std::min(heavy.begin, splits.end));
        evaluate(std::max(heavy.begin, heavy.end), splits.end);
        if (heavy.size() <= 0) return bound;
        return std::min(bound, left.bound(heavy, total_, share_, limits_of(f)));
    }

    // The splits that leave either side enough rows, with missing values right and left.
    void enough_rows(int f, Range (&allowed)[2]) const {
        const int n = in_.features.n_bins[f];
        if (const uint32_t* counted = in_.counts->counted(f)) {
            const int64_t missing = counted[MISSING_BIN], least = in_.min_samples_leaf;
            allowed[0] = allowed[1] = splits_between(counted, n, least, least - missing);
            if (missing) allowed[1] = splits_between(counted, n, least - missing, least);
            return;
        }
        int64_t rows[N_BINS], up_to[N_BINS], sum = 0;
        in_.counts->of(f, n, rows);
        for (int k = 0; k < n; k++) up_to[k] = sum += rows[k];
        const int64_t missing = rows[MISSING_BIN], all = sum + missing, least = in_.min_samples_leaf;
        for (int left = 0; left < (missing ? 2 : 1); left++) {
            const int64_t joined = left * missing;
            const int64_t* begin = std::lower_bound(up_to, up_to + n - 1, least - joined);
            const int64_t* end = std::upper_bound(begin, const_cast<const int64_t*>(up_to) + n - 1, all - least - joined);
            allowed[left] = {begin - up_to, end - up_to};
        }
        if (!missing) allowed[1] = allowed[0];
    }
    static constexpr int FEW_SPLITS = 2;  // are evaluated one by one
    double value_of(Quanta left, int direction) const {
        if (in_.criterion.kind != Kind::VOTE) return leaves(left.positive, left.negative);
        return direction ? vote_value(left, direction) : std::min(vote_value(left, 1), vote_value(left, -1));
    }
    // Of some splits, from the sums on the left. The polarity of votes is the direction, if there is one.
    double least_among(const int64_t* p, const int64_t* q, Range splits, int direction) const {
        p += splits.begin;
        q += splits.begin;
        const int n = static_cast<int>(splits.size());
        if (n <= FEW_SPLITS) {
            double least = std::numeric_limits<double>::infinity();
            for (int k = 0; k < n; k++) least = std::min(least, value_of({p[k], q[k]}, direction));
            return least;
        }
        const LeftSums left{p, q, n, total_, share_};
        if (in_.criterion.kind == Kind::VOTE) {
            double range[2];
            difference_range(left, range);
            const double least[2] = {share_[1] * total_[1] + range[0], share_[0] * total_[0] - range[1]};
            return direction ? least[direction > 0 ? 0 : 1] : std::min(least[0], least[1]);
        }
        double value[N_BINS];
        split_losses(in_.criterion, left, value);
        double least = least_value(value, n);
        if (!rough()) return least;
        const double near = least + 1e-9 * least;
        least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < n; k++)
            if (value[k] <= near) least = std::min(least, leaves(p[k], q[k]));
        return least;
    }
    // Of n splits, under constraints.
    double least_within(const int64_t* p, const int64_t* q, int n, int direction) const {
        double value[N_BINS];
        bounded_split_losses(bounded_, direction, {p, q, n, total_, share_}, value);
        return least_value(value, n);
    }
    template <typename Leaf>
    double leaves(Leaf leaf, int64_t p, int64_t q) const {
        return leaf(share_[0] * p, share_[1] * q) + leaf(share_[0] * (total_[0] - p), share_[1] * (total_[1] - q));
    }
    double leaves(int64_t p, int64_t q) const {
        return leaves([this](double a, double b) { return in_.criterion.leaf(a, b); }, p, q);
    }

    template <Kind KIND>
    double leaves_within(int direction, int64_t p, int64_t q) const {
        const double left[2] = {share_[0] * p, share_[1] * q}, right[2] = {share_[0] * (total_[0] - p), share_[1] * (total_[1] - q)};
        const double *first = direction >= 0 ? left : right, *second = direction >= 0 ? right : left;
        return bounded_.sides<KIND>(direction != 0, first[0], first[1], second[0], second[1]);
    }

    // Least criterion over the feature's candidates; where `found` is given, the first candidate not above the limit.
    double scan(int f, const BinSequence& seq, double limit, Split* found) const {
        if (in_.criterion.votes()) return scan_votes(f, seq, limit, found);
        // One copy of the loop for each kind, so that the choice is outside of it.
        return in_.criterion.with_kind([&](auto kind) {
            constexpr Kind KIND = decltype(kind)::value;
            const bool filters = KIND == Kind::SQUARES && found;
            if (!constrained(f))
                return scan_leaves(f, seq, limit, found, [=, criterion = in_.criterion](int64_t p, int64_t q) {
                    if (filters && surely_above(limit, p, q)) return std::numeric_limits<double>::infinity();
                    return leaves([&](double a, double b) { return criterion.leaf_of_kind<KIND>(a, b); }, p, q);
                });
            const int direction = in_.features.direction(f);
            return scan_leaves(f, seq, limit, found, [=](int64_t p, int64_t q) {
                if (filters && surely_above(limit, p, q)) return std::numeric_limits<double>::infinity();  // constraints do not make it less
                return leaves_within<KIND>(direction, p, q);
            });
        });
    }

    // Whether the criterion SQUARES of a split is above the limit by more than ties, found without a division.
    bool surely_above(double limit, int64_t p, int64_t q) const {
        const double e = in_.criterion.smoothing, p_left = share_[0] * p, p_right = share_[0] * (total_[0] - p);
        const double left = share_[1] * q + e, right = share_[1] * (total_[1] - q) + e, both = left * right;
        const double squares = p_left * p_left * right + p_right * p_right * left;
        return both > 1e-200 && squares * (1 + 1e-9) < -(limit + 2 * TIE) * both;
    }

    double scan_votes(int f, const BinSequence& seq, double limit, Split* found) const {
        const double inf = std::numeric_limits<double>::infinity();
        const bool some_missing = seq.some_missing();
        double least = inf;
        int begin = static_cast<int>(seq.splits.begin);
        if (found && in_.criterion.kind == Kind::VOTE && !some_missing)  // most splits are too bad, whatever their polarity
            while (begin < seq.splits.end && value_of({seq.up_to[0][begin], seq.up_to[1][begin]}, 0) > limit) begin++;
        for (int k = begin; k < seq.splits.end; k++) {
            const Quanta present{seq.up_to[0][k], seq.up_to[1][k]};
            const Quanta with_missing{present.positive + seq.missing[0], present.negative + seq.missing[1]};
            const bool left_allowed = some_missing && seq.can_take_missing(k) && !seq.too_few(k, 1, in_.min_samples_leaf);
            const bool right_allowed = !seq.too_few(k, 0, in_.min_samples_leaf);
            for (int polarity = 1; polarity >= -1; polarity -= 2) {
                if (polarity == -in_.features.direction(f)) continue;
                const double right = right_allowed ? vote_value(present, polarity) : inf;
                const double left = left_allowed ? vote_value(with_missing, polarity) : inf;
                const double value = std::min(left, right);
                if (found && value <= limit) return settle(f, seq, k, polarity, side(left, right, some_missing), value, found);
                least = std::min(least, value);
            }
        }
        return least;
    }

    // both(p, q): criterion of the split with these sums on the left.
    template <typename Both>
    double scan_leaves(int f, const BinSequence& seq, double limit, Split* found, Both both) const {
        const double inf = std::numeric_limits<double>::infinity();
        const bool some_missing = seq.some_missing();
        const double shrinkage = in_.features.categorical[f] ? shrinkage_of(seq) : 0;
        const double whole = shrinkage > 0 ? bounded_.leaf(share_[0] * total_[0], share_[1] * total_[1]) : 0;
        double least = inf;
        for (int k = static_cast<int>(seq.splits.begin); k < seq.splits.end; k++) {
            double value[2] = {inf, inf};  // missing values right, left
            for (int left = 0; left < (some_missing && seq.can_take_missing(k) ? 2 : 1); left++) {
                if (seq.too_few(k, left, in_.min_samples_leaf)) continue;
                const int64_t p = seq.up_to[0][k] + left * seq.missing[0], q = seq.up_to[1][k] + left * seq.missing[1];
                value[left] = both(p, q);
                if (shrinkage > 0) value[left] += shrinkage * (whole - value[left]);
            }
            const double v = std::min(value[0], value[1]);
            if (std::isinf(v)) continue;
            if (found && v <= limit) return settle(f, seq, k, 1, side(value[1], value[0], some_missing), v, found);
            least = std::min(least, v);
        }
        return least;
    }

    // The part of the gain of a split of categories that chance may explain: of their squares between them, in units of what a
    // category without any effect is expected to have, their number and two standard deviations of a chi-square of it.
    double shrinkage_of(const BinSequence& seq) const {
        const int n = seq.n - FREE_CATEGORIES;
        if (!(in_.criterion.per_category > 0) || n <= 0) return 0;
        double squares = 0, of_all = 0, weight_of_all = 0;
        for (int k = 0; k < seq.n; k++) {
            const double p = share_[0] * (seq.up_to[0][k] - (k ? seq.up_to[0][k - 1] : 0));
            const double q = share_[1] * (seq.up_to[1][k] - (k ? seq.up_to[1][k - 1] : 0));
            squares += p * p / q;  // categories without weight are not in the sequence
            of_all += p;
            weight_of_all += q;
        }
        squares -= of_all * of_all / weight_of_all;
        const double by_chance = in_.criterion.per_category * (n + 2 * std::sqrt(2.0 * n));
        return squares > by_chance ? by_chance / squares : 1;
    }

    static Side side(double left, double right, bool some_missing) {
        return some_missing ? side_of_missing(left, right) : Side::HEAVIER;
    }

    double settle(int f, const BinSequence& seq, int k, int polarity, Side missing, double value, Split* out) const {
        double weight_left = 0, weight_right = 0;
        for (int z = in_.criterion.kind == Kind::SQUARES ? 1 : 0; z < 2; z++) {
            weight_left += share_[z] * seq.up_to[z][k];
            weight_right += share_[z] * (seq.up_to[z][seq.n - 1] - seq.up_to[z][k]);
        }
        const bool left_is_heavier = heavier_left(weight_left, weight_right);
        bool missing_left = seq.can_take_missing(k) && (missing == Side::LEFT || (missing == Side::HEAVIER && left_is_heavier));
        if (missing == Side::HEAVIER && seq.too_few(k, missing_left, in_.min_samples_leaf)) missing_left = !missing_left;  // rows without weight
        out->feature = f;
        out->bin = in_.features.categorical[f] ? k : seq.bin_at(k);
        out->polarity = polarity;
        out->missing_left = missing_left;
        out->value = value;
        if (in_.features.categorical[f]) {
            // categories without rows here go to the heavier side, as missing values do if there are none
            std::fill(out->left, out->left + N_BINS, left_is_heavier ? 1 : 0);
            for (int i = 0; i < seq.n; i++) out->left[seq.order[i]] = i <= k;
        } else {
            for (int b = 0; b < N_BINS; b++) out->left[b] = b <= out->bin;
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

// The best split among the features that are drawn, or of the cuts drawn for them; where none of these gains, more features are drawn
// one by one until one does.
inline Split best_of_drawn(SearchInput in, const FeatureDraw& draw, bool relative, int n_threads) {
    in.draws_cuts = draw.cuts;
    in.cut_key = hash_of(draw.key, static_cast<uint64_t>(in.features.n_varying()));
    Search search(in);
    if (!draw.number) return search.best(relative, n_threads);
    const size_t n_drawn = static_cast<size_t>(draw.number);
    std::vector<Drawn> order = draw.first(n_drawn, in.features, in.allowed);
    const size_t n = std::min(order.size(), n_drawn);
    std::vector<int> features;
    for (size_t k = 0; k < n; k++)
        if (search.may_compete(order[k].second)) features.push_back(order[k].second);
    std::sort(features.begin(), features.end());
    const Split drawn = search.best_among(features, relative, n_threads);
    if (search.gains(drawn)) return drawn;
    std::sort(order.begin() + static_cast<int64_t>(n), order.end());
    for (size_t k = n; k < order.size(); k++) {
        if (!search.may_compete(order[k].second)) continue;
        const Split split = search.best_among({order[k].second}, relative, n_threads);
        if (search.gains(split)) return split;
    }
    return drawn;
}

// The best split; counts: the rows in each bin, laid out as the histogram, or null.
inline Split best_split(SearchInput in, const int64_t* counts, const FeatureDraw& draw, bool relative, int n_threads) {
    const CountTable table(counts, in.features.n);
    in.counts = counts ? &table : nullptr;
    return best_of_drawn(in, draw, relative, n_threads);
}

}  // namespace costboost
