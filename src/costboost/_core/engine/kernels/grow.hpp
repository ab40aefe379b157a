// A tree of one shard's rows, grown best gain first. Several shards grow theirs step by step from the driver, by the
// same rules; every sum is a whole number, so both trees are equal.
#pragma once

#include <memory>

#include "limits.hpp"
#include "node_counts.hpp"
#include "node_sums.hpp"
#include "open_leaves.hpp"
#include "regression.hpp"
#include "search.hpp"

namespace costboost {

struct GrowNode {
    int64_t bounds[4];  // its rows in the order: positives from bounds[0] to bounds[1], negatives from bounds[2] to bounds[3]
    double share[2] = {0, 0};
    int depth = 0;
    int left = -1;  // its children: left and the one behind it; -1 for a leaf
    double gain = 0;
    Split split;
    int64_t copies = 0;  // of its rows, where they are counted
    Bounds levels;          // between which those of its leaves are
    std::vector<int> path;  // the features that lead to it, where interactions are limited
    int64_t size() const { return bounds[1] - bounds[0] + bounds[3] - bounds[2]; }
};

// What a tree is grown by. It sums the weights of the rows, by class, or, where `sums` is given, their responses.
struct GrowInput {
    Criterion criterion;
    double unit[2];   // worth of a quantum of either sum
    double share[2];  // of all rows
    const Sum* root;  // histogram of all rows; null where the grower builds it, for responses of all rows
    RowAmounts rows;
    Responses responses;
    const ResponseSums* sums;
    NodeRows drawn;    // the rows that the tree is grown on; without a list, all of them
    FeatureDraw draw;  // of the features that compete in each node
};

class Grower {
  public:
    // One of several growers whose histograms share the memory that those of a tree may take.
    Grower(const Tiles& tiles, const Features& features, int n_growers)
        : tiles_(tiles),
          features_(features),
          kept_bytes_(KEPT_BYTES / n_growers),
          order_(tiles.n_rows),
          spare_(tiles.n_rows),
          few_(tiles, tiles.n_rows) {
        assert(features.n == tiles.n_features);
    }

    uint32_t* order() { return order_.data(); }

    // Response and weight of all rows, in quanta, if the grower has built the histogram of the root.
    const Sum* totals() const { return total_; }

    const std::vector<GrowNode>& grow(const GrowInput& in, const TreeLimits& limits, const Workers& workers) {
        in_ = in;
        limits_ = limits;
        workers_ = workers;
        if (in.drawn.listed)
            std::copy(in.drawn.listed, in.drawn.listed + in.drawn.bounds[3], order_.begin());
        else
            for (int64_t i = 0; i < tiles_.n_rows; i++) order_[i] = static_cast<uint32_t>(i);
        nodes_.clear();
        used_.clear();
        open_.clear();
        free_.clear();
        for (size_t b = 0; b < blocks_.size(); b++) free_.push_back(static_cast<int>(b));
        GrowNode first;
        std::copy(in.drawn.bounds, in.drawn.bounds + 4, first.bounds);
        count_copies(first);
        nodes_.push_back(first);
        used_.push_back(NO_BLOCK);
        if (in.sums) take_responses();
        if (!in.root) build_root();
        std::copy(in_.share, in_.share + 2, nodes_[0].share);
        consider(0);
        for (int n_leaves = 2; limits.max_leaves < 0 || n_leaves <= limits.max_leaves; n_leaves++) {
            const int divided = open_.first_of_greatest(limits.least_gain);
            if (divided < 0) break;
            open_.close(divided);
            const bool last = n_leaves == limits.max_leaves;
            divide(divided, last);
            for (int child = nodes_[divided].left; child < nodes_[divided].left + 2 && !last; child++) consider(child);
        }
        return nodes_;
    }

  private:
    static constexpr int NO_BLOCK = -1;
    // Once the histograms of open leaves take so many bytes, those of leaves with so few rows are given up and built again
    // when they are needed, which takes little more time than to subtract.
    static constexpr int64_t KEPT_BYTES = 1 << 27, FEW_ROWS = N_BINS;
    // Of regressions, nodes of so many rows at most count their rows in every bin; in larger ones a split hardly ever leaves a
    // side too few.
    static constexpr int64_t COUNTED_ROWS = 2 * N_BINS;

    // Nodes of so many rows at most, where all features compete, are searched without a histogram; with fewer features, of more.
    static constexpr int64_t ROWS_OF_ALL_FEATURES = 512;

    struct Block {
        std::unique_ptr<Sum[]> histogram;
        std::unique_ptr<Word[]> words;       // the sums of few rows of a regression, instead of a histogram
        std::unique_ptr<uint32_t[]> counts;
        bool in_words = false, counted = false;  // whether words and counts are those of the node
        std::vector<uint8_t> hopeless;  // features that cannot be split in this node, nor below
    };

    Tiles tiles_;
    Features features_;
    int64_t kept_bytes_;
    std::vector<uint32_t> order_, spare_;
    std::vector<Block> blocks_;     // used again and again
    std::vector<int> free_, used_;  // unused blocks; the block of every node
    FewRows few_;  // those of the node that is searched, where it has no histogram
    OpenLeaves open_;
    std::unique_ptr<ResponsePair[]> responses_;  // response and weight of every row in quanta
    std::unique_ptr<Word[]> words_;              // the same in words, where they fit
    std::vector<Sum> sums_;                      // of `ResponseSums`
    bool fits_ = false;
    int64_t heaviest_ = 0;  // no weight is greater
    Sum total_[2] = {0, 0};
    std::vector<GrowNode> nodes_;
    GrowInput in_;
    TreeLimits limits_;
    Workers workers_{nullptr, 1};

    int64_t class_size() const { return static_cast<int64_t>(tiles_.n_features) * N_BINS; }
    int64_t size() const { return 2 * class_size(); }
    Block& block(int node) { return blocks_[used_[node]]; }
    NodeRows rows_of(const GrowNode& node) const {
        return {order_.data(), {node.bounds[0], node.bounds[1], node.bounds[2], node.bounds[3]}};
    }

    void take_block(int node) {
        if (free_.empty()) {
            blocks_.emplace_back();
            blocks_.back().histogram.reset(new Sum[size()]);
            blocks_.back().hopeless.resize(tiles_.n_features);
            free_.push_back(static_cast<int>(blocks_.size()) - 1);
        }
        used_[node] = free_.back();
        free_.pop_back();
        block(node).counted = block(node).in_words = false;
    }

    void give_block(int node) {
        if (used_[node] != NO_BLOCK) free_.push_back(used_[node]);
        used_[node] = NO_BLOCK;
    }

    // Whether the histogram of a leaf of so many rows is built again when it is needed; `more` of them are about to be taken.
    bool given_up(int64_t n_rows, int64_t more) const {
        const int64_t taken = static_cast<int64_t>(blocks_.size() - free_.size()) + more;
        return n_rows <= FEW_ROWS && taken * size() * static_cast<int64_t>(sizeof(Sum)) > kept_bytes_;
    }

    // The bins that a feature has: the first ones, and the missing one.
    template <typename Work>
    void over_bins(Work work) const {
        for (int z = 0; z < 2; z++)
            for (int f = 0; f < tiles_.n_features; f++) {
                const int64_t at = z * class_size() + static_cast<int64_t>(f) * N_BINS;
                work(at, features_.n_bins[f]);
                work(at + MISSING_BIN, 1);
            }
    }

    bool counting() const { return limits_.min_samples_leaf > 1; }

    void count_copies(GrowNode& node) const {
        node.copies = node.size();
        if (!in_.rows.copies || !counting()) return;
        node.copies = 0;
        for (int z = 0; z < 2; z++)
            for (int64_t i = node.bounds[2 * z]; i < node.bounds[2 * z + 1]; i++) node.copies += in_.rows.copies[order_[i]];
    }

    bool may_split(const GrowNode& node) const {
        return !(limits_.max_depth >= 0 && node.depth >= limits_.max_depth) && node.copies >= 2 * limits_.min_samples_leaf;
    }

    // Finds the best split of a new leaf. Only a leaf that may be divided keeps its histogram.
    void consider(int k) {
        limits_.interrupt.after(nodes_[k].size() * tiles_.n_features);
        if (may_split(nodes_[k])) search(k);
        open_.add(nodes_[k].gain);
        if (!open_.may_be_divided(k) || without_histogram(nodes_[k]) || given_up(nodes_[k].size(), 0)) give_block(k);
    }

    // Whether a node, and all below it, are searched by their rows. That takes less time where one cut of each feature competes,
    // if rows or features are few.
    bool without_histogram(const GrowNode& node) const {
        const int64_t n_drawn = in_.draw.number ? in_.draw.number : tiles_.n_features;
        return in_.draw.cuts && node.size() <= FewRows::MOST && node.size() * n_drawn <= ROWS_OF_ALL_FEATURES * tiles_.n_features;
    }

    void take_few(const GrowNode& node) {
        const Word* words = words_.get();
        const ResponsePair* responses = responses_.get();
        const int64_t* copies = counting() ? in_.rows.copies : nullptr;
        const NodeRows rows = rows_of(node);
        if (!in_.sums)
            few_.take(
                rows,
                [this](uint32_t row, int z, int64_t* out) {
                    out[z] = quanta(in_.rows.weight[row]);
                    out[1 - z] = 0;
                },
                copies, true);
        else if (fits_)
            few_.take(
                rows,
                [words](uint32_t row, int, int64_t* out) {
                    out[0] = response_of(words[row]);
                    out[1] = weight_of(words[row]);
                },
                copies, false);
        else
            few_.take(
                rows,
                [responses](uint32_t row, int, int64_t* out) {
                    for (int k = 0; k < 2; k++) out[k] = responses[row].both[k];
                },
                copies, false);
    }

    // Its histogram, which is not there yet; the root's has to be copied only if something is to be taken from it.
    const Sum* built(int k) {
        const GrowNode& node = nodes_[k];
        if (k == 0 && in_.root && given_up(node.size(), 1)) return in_.root;
        take_block(k);
        Sum* out = block(k).histogram.get();
        std::fill(block(k).hopeless.begin(), block(k).hopeless.end(), 0);
        if (k == 0 && in_.root)
            copy_root(out);
        else if (in_.sums && fits_)
            sum_in_words(node, block(k), nullptr, 0);
        else
            sum_rows(node, out, nullptr);
        return out;
    }

    // The histogram of all rows of a regression; units are such that their weights add up to 1.
    void build_root() {
        assert(in_.sums && !in_.drawn.listed);
        if (without_histogram(nodes_[0])) {
            take_few(nodes_[0]);
            std::copy(few_.total(), few_.total() + 2, total_);
            return set_units();
        }
        take_block(0);
        std::fill(block(0).hopeless.begin(), block(0).hopeless.end(), 0);
        Sum* out = block(0).histogram.get();
        const NodeRows all{nullptr, {0, tiles_.n_rows, tiles_.n_rows, tiles_.n_rows}};
        const ResponseTarget target{out, nullptr, class_size(), true};
        const Word* words = words_.get();
        const ResponsePair* responses = responses_.get();
        if (fits_)
            in_.sums->build_of_words([=](int64_t a, int64_t m, Word* amount) { std::copy(words + a, words + a + m, amount); }, all, target, sums_,
                                     workers_);
        else
            in_.sums->build([=](int64_t a, int64_t m, ResponsePair* amount) { std::copy(responses + a, responses + a + m, amount); }, all, target,
                            sums_, workers_);
        for (int z = 0; z < 2; z++) {
            total_[z] = out[2 * MISSING_BIN + z];
            for (int b = 0; b < features_.n_bins[0]; b++) total_[z] += out[2 * b + z];
        }
        set_units();
    }

    void set_units() {
        for (int z = 0; z < 2; z++) {
            in_.unit[z] = in_.responses.scale[1] / in_.responses.scale[z] / static_cast<double>(total_[1]);
            in_.share[z] = in_.unit[z] * static_cast<double>(total_[z]);
        }
    }

    // Both sums of a bin lie side by side in the histograms of regressions, but not in the root's.
    void copy_root(Sum* out) const {
        const int64_t other = class_size();
        over_bins([&](int64_t at, int n) {
            if (!in_.sums) {
                std::copy(in_.root + at, in_.root + at + n, out + at);
                return;
            }
            const int64_t z = at / other, to = 2 * (at - z * other) + z;
            for (int b = 0; b < n; b++) out[to + 2 * b] = in_.root[at + b];
        });
    }

    void search(int k) {
        GrowNode& node = nodes_[k];
        SearchInput in;
        in.features = features_;
        for (int z = 0; z < 2; z++) in.unit[z] = in_.unit[z];
        in.criterion = in_.criterion;
        in.min_samples_leaf = limits_.min_samples_leaf;
        const NodeCounts counts(tiles_, in_.rows.copies, rows_of(node));
        if (counting()) in.counts = &counts;
        if (without_histogram(node)) {
            take_few(node);
            in.rows = &few_;
            in.total = few_.total();
        } else {
            in.histogram = used_[k] == NO_BLOCK ? built(k) : block(k).histogram.get();
            in.hopeless = used_[k] == NO_BLOCK ? nullptr : block(k).hopeless.data();
            if (used_[k] != NO_BLOCK && block(k).in_words) in.words = block(k).words.get();
            in.side_by_side = in_.sums && in.histogram != in_.root;
            if (in_.sums && !in_.rows.copies) in.heaviest = heaviest_;
            if (counts_bins(node) && used_[k] != NO_BLOCK && !block(k).counted) count_bins(node, block(k));
        }
        const KnownCounts known(used_[k] != NO_BLOCK ? block(k).counts.get() : nullptr);
        if (used_[k] != NO_BLOCK && block(k).counted) in.counts = &known;
        in.bounds = node.levels;
        std::vector<uint8_t> allowed;
        if (limits_.interactions.any()) {
            allowed.resize(static_cast<size_t>(features_.n));
            limits_.interactions.mark(node.path, features_.n, allowed.data());
            in.allowed = allowed.data();
        }
        const FeatureDraw drawn = in_.draw.of_node(static_cast<uint64_t>(k));
        const Split split = best_of_drawn(in, drawn, false, tiles_.n_features >= 512 ? workers_.n_threads : 1);
        if (split.feature < 0) return;
        node.split = split;
        node.gain = BoundedCriterion(in_.criterion, node.levels).leaf(node.share[0], node.share[1]) - split.value;
    }

    // Histograms are built where a side may be split again, unless the node's own was given up.
    void divide(int k, bool last) {
        GrowNode sides[2];
        {
            const GrowNode& node = nodes_[k];
            int64_t middle[2];
            for (int z = 0; z < 2; z++)
                middle[z] = partition_rows(tiles_, {node.split.feature, node.split.left}, {node.bounds[2 * z], node.bounds[2 * z + 1]},
                                           order_.data(), spare_.data());
            for (int side = 0; side < 2; side++) {
                sides[side].depth = node.depth + 1;
                for (int z = 0; z < 2; z++) {
                    sides[side].bounds[2 * z] = side == 0 ? node.bounds[2 * z] : middle[z];
                    sides[side].bounds[2 * z + 1] = side == 0 ? middle[z] : node.bounds[2 * z + 1];
                    sides[side].share[z] = in_.unit[z] * static_cast<double>(node.split.cell[2 * z + side]);
                }
            }
            const int direction = features_.direction(node.split.feature);
            Bounds levels[2];
            in_.criterion.bounds_of_sides(node.levels, direction, sides[0].share, sides[1].share, levels);
            for (int side = 0; side < 2; side++) {
                sides[side].levels = levels[side];
                if (limits_.interactions.any()) sides[side].path = Interactions::longer(node.path, node.split.feature);
            }
        }
        for (GrowNode& side : sides) count_copies(side);
        nodes_[k].left = static_cast<int>(nodes_.size());
        nodes_.push_back(sides[0]);
        nodes_.push_back(sides[1]);
        used_.insert(used_.end(), 2, NO_BLOCK);
        const auto needs_histogram = [this](const GrowNode& side) { return may_split(side) && !without_histogram(side); };
        if (last || !(needs_histogram(sides[0]) || needs_histogram(sides[1]))) return give_block(k);
        if (used_[k] == NO_BLOCK) return;
        const int second = sides[0].size() <= sides[1].size() ? 1 : 0;
        const int large = nodes_[k].left + second, small = nodes_[k].left + 1 - second;
        std::swap(used_[large], used_[k]);  // the larger side takes the parent's, and the rest is computed in place
        take_block(small);
        block(small).hopeless = block(large).hopeless;
        if (in_.sums && fits_)
            sum_in_words(nodes_[small], block(small), &block(large), nodes_[large].size());
        else
            sum_rows(nodes_[small], block(small).histogram.get(), block(large).histogram.get());
        if (!block(large).counted) return;
        count_bins(nodes_[small], block(small));
        const uint32_t* part = block(small).counts.get();
        uint32_t* rest = block(large).counts.get();
        costboost::over_bins(tiles_.n_features, features_.n_bins, [=](int64_t at, int n) {
            for (int64_t b = at; b < at + n; b++) rest[b] -= part[b];
        });
    }

    // Whether the rows of a node are counted in every bin of every feature.
    bool counts_bins(const GrowNode& node) const {
        return in_.sums && counting() && !in_.rows.copies && node.size() <= COUNTED_ROWS;
    }

    void count_bins(const GrowNode& node, Block& block) {
        if (!block.counts) block.counts.reset(new uint32_t[static_cast<size_t>(class_size())]);
        block.counted = true;
        count_rows_in_bins(tiles_, rows_of(node), block.counts.get());
    }

    // The histogram of a node; where `rest` is given, it is taken from that one.
    void sum_rows(const GrowNode& node, Sum* part, Sum* rest) {
        const bool parallel = node.size() * tiles_.n_features >= limits_.parallel_cells && workers_.n_threads > 1;
        const Workers workers{workers_.scratch, parallel ? workers_.n_threads : 1};
        if (in_.sums) return sum_responses(node, may_split(node) ? part : nullptr, rest, workers);
        if (parallel)
            build_node_histogram(tiles_, {in_.rows.weight, nullptr}, rows_of(node), part, workers);
        else
            add_weights(node, part);
        if (!rest) return;
        over_bins([&](int64_t at, int n) {
            for (int b = 0; b < n; b++) rest[at + b] -= part[at + b];
        });
    }

    // Both sums of a node at once, side by side; what is left of its parent's is the rest.
    void sum_responses(const GrowNode& node, Sum* part, Sum* rest, const Workers& workers) {
        const uint32_t* row = order_.data();
        auto fill = [&](int64_t a, int64_t m, ResponsePair* amount) {
            const ResponsePair* from = responses_.get();
            over_scattered(m, ListedRows{row + a}, [=](int64_t i) { prefetch(from + i); }, [=](int64_t k) { amount[k] = from[row[a + k]]; });
        };
        in_.sums->build(fill, rows_of(node), {part, rest, class_size(), true}, sums_, workers);
    }

    // Quanta of all rows.
    void take_responses() {
        const int64_t n = tiles_.n_rows;
        fits_ = !in_.sums->bundled() && fit_in_words(in_.responses, n);
        if (!fits_) {
            if (!responses_) responses_.reset(new ResponsePair[static_cast<size_t>(n)]);
            heaviest_ = all_responses(in_.responses, n, responses_.get());
            return;
        }
        if (!words_) words_.reset(new Word[static_cast<size_t>(n)]);
        heaviest_ = WORD_AMOUNT;
        for (int64_t a = 0; a < n; a += BLOCK) words_of_block(in_.responses, a, std::min(BLOCK, n - a), words_.get() + a);
    }

    // The sums of a node in words if it has few rows, else in pairs; subtracted from the rest of its parent's, which has n_rest rows.
    void sum_in_words(const GrowNode& node, Block& part, Block* rest, int64_t n_rest) {
        const int32_t* n_bins = features_.n_bins;
        const Word* from = words_.get();
        const uint32_t* row = order_.data();
        auto fill = [=](int64_t a, int64_t m, Word* amount) {
            over_scattered(m, ListedRows{row + a}, [=](int64_t i) { prefetch(from + i); }, [=](int64_t k) { amount[k] = from[row[a + k]]; });
        };
        Sum* pairs = part.histogram.get();
        part.in_words = node.size() <= WORD_ROWS;
        if (part.in_words) {
            sum_few_words(tiles_, n_bins, fill, rows_of(node), words_of(part));
        } else {
            const bool parallel = node.size() * tiles_.n_features >= limits_.parallel_cells && workers_.n_threads > 1;
            costboost::over_bins(tiles_.n_features, n_bins, [=](int64_t at, int n) { std::fill(pairs + 2 * at, pairs + 2 * (at + n), 0); });
            sum_words(tiles_, n_bins, fill, rows_of(node), pairs, {workers_.scratch, parallel ? workers_.n_threads : 1});
        }
        if (!rest) return;
        const Word* words = part.words.get();
        Word* rest_words = n_rest <= WORD_ROWS ? words_of(*rest) : nullptr;
        Sum* rest_pairs = rest->histogram.get();
        const bool by_words = part.in_words, rest_by_words = rest->in_words;
        costboost::over_bins(tiles_.n_features, n_bins, [=](int64_t at, int n) {
            if (rest_by_words) {
                for (int b = 0; b < n; b++) rest_words[at + b] -= words[at + b];
                return;
            }
            if (by_words)
                subtract_words(words + at, n, rest_pairs + 2 * at);
            else
                subtract(pairs + 2 * at, 2 * n, rest_pairs + 2 * at);
            if (rest_words) words_of_pairs(rest_pairs + 2 * at, n, rest_words + at);
        });
        rest->in_words = rest_words;
    }

    Word* words_of(Block& block) const {
        if (!block.words) block.words.reset(new Word[static_cast<size_t>(class_size())]);
        return block.words.get();
    }

    // By one thread, and only the bins there are have to be set to zero.
    void add_weights(const GrowNode& node, Sum* out) {
        over_bins([&](int64_t at, int n) { std::fill(out + at, out + at + n, 0); });
        Sum amount[BLOCK];
        for (int z = 0; z < 2; z++)
            for (int64_t a = node.bounds[2 * z]; a < node.bounds[2 * z + 1]; a += BLOCK) {
                const int64_t m = std::min(BLOCK, node.bounds[2 * z + 1] - a);
                const uint32_t* row = order_.data() + a;
                for (int64_t k = 0; k < m; k++) amount[k] = quanta(in_.rows.weight[row[k]]);
                add_to_histogram(tiles_, [row](int64_t k) { return static_cast<int64_t>(row[k]); }, amount, m, out + z * class_size());
            }
    }
};

}  // namespace costboost
