// Sums of the nodes of a tree over one block of rows.
#pragma once

#include <array>
#include <memory>

#include "frontier.hpp"
#include "node_counts.hpp"
#include "node_sums.hpp"
#include "regression.hpp"
#include "search.hpp"

namespace costboost {

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

class BlockSource {
  public:
    // One of several sources whose histograms share the memory that those of a tree may take.
    BlockSource(const Tiles& tiles, const Features& features, int n_sources)
        : tiles_(tiles),
          features_(features),
          kept_bytes_(KEPT_BYTES / n_sources),
          order_(tiles.n_rows),
          spare_(tiles.n_rows),
          few_(tiles, tiles.n_rows) {
        assert(features.n == tiles.n_features);
    }

    uint32_t* order() { return order_.data(); }

    // The rows of a node in the order: positives from bounds[0] to bounds[1], negatives from bounds[2] to bounds[3].
    const int64_t* bounds(int k) const { return nodes_[k].bounds; }

    // Response and weight of all rows, in quanta, if the histogram of the root has been built here.
    const Sum* totals() const { return total_; }

    // The next tree.
    void begin(const GrowInput& in, const TreeLimits& limits, const Workers& workers, const Frontier& tree) {
        in_ = in;
        limits_ = limits;
        workers_ = workers;
        tree_ = &tree;
        if (in.drawn.listed)
            std::copy(in.drawn.listed, in.drawn.listed + in.drawn.bounds[3], order_.begin());
        else
            for (int64_t i = 0; i < tiles_.n_rows; i++) order_[i] = static_cast<uint32_t>(i);
        free_.clear();
        for (size_t b = 0; b < blocks_.size(); b++) free_.push_back(static_cast<int>(b));
        nodes_.assign(1, Node());
        std::copy(in.drawn.bounds, in.drawn.bounds + 4, nodes_[0].bounds);
        count_copies(nodes_[0]);
    }

    const double* build() {
        if (in_.sums) take_responses();
        if (!in_.root) build_root();
        return in_.share;
    }

    // Only a leaf that may be divided keeps its histogram.
    Candidate search(int k) {
        const Node& node = nodes_[k];
        limits_.interrupt.after(node.size() * tiles_.n_features);
        Candidate best;
        if (may_split(k)) find_split(k, best);
        if (!best.open || without_histogram(node) || given_up(node.size(), 0)) give_block(nodes_[k]);
        return best;
    }

    // Histograms are built where a side may be split again, unless the node's own was given up.
    void divide(int k, int left) {
        nodes_.resize(left + 2);
        Node &parent = nodes_[k], *sides = &nodes_[left];
        const Split& split = tree_->node(k).best.split;
        for (int z = 0; z < 2; z++) {
            const int64_t begin = parent.bounds[2 * z], end = parent.bounds[2 * z + 1];
            const int64_t middle = partition_rows(tiles_, {split.feature, split.left}, {begin, end}, order_.data(), spare_.data());
            sides[0].bounds[2 * z] = begin;
            sides[0].bounds[2 * z + 1] = sides[1].bounds[2 * z] = middle;
            sides[1].bounds[2 * z + 1] = end;
        }
        for (int side = 0; side < 2; side++) count_copies(sides[side]);
        const auto needs_histogram = [&](int side) { return may_split(left + side) && !without_histogram(sides[side]); };
        if (tree_->last() || !(needs_histogram(0) || needs_histogram(1))) return give_block(parent);
        if (parent.block == NO_BLOCK) return;
        const int larger = sides[0].size() <= sides[1].size() ? 1 : 0;
        Node &large = sides[larger], &small = sides[1 - larger];
        std::swap(large.block, parent.block);  // the larger side takes the parent's, and the rest is computed in place
        take_block(small);
        Block &part = blocks_[small.block], &rest = blocks_[large.block];
        part.hopeless = rest.hopeless;
        if (in_.sums && fits_)
            sum_in_words(small, part, &rest, large.size());
        else
            sum_rows(small, may_split(left + 1 - larger), part.histogram.get(), rest.histogram.get());
        if (!rest.counted) return;
        count_bins(small, part);
        const uint32_t* counted = part.counts.get();
        uint32_t* remaining = rest.counts.get();
        costboost::over_bins(tiles_.n_features, features_.n_bins, [=](int64_t at, int n) {
            for (int64_t b = at; b < at + n; b++) remaining[b] -= counted[b];
        });
    }

    static std::array<int, 2> sides(int left) { return {left, left + 1}; }

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

    struct Node {
        int64_t bounds[4] = {0, 0, 0, 0};
        int64_t copies = 0;  // of its rows, where they are counted
        int block = NO_BLOCK;
        int64_t size() const { return bounds[1] - bounds[0] + bounds[3] - bounds[2]; }
    };

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
    std::vector<Block> blocks_;  // used again and again
    std::vector<int> free_;      // those that are unused
    FewRows few_;  // those of the node that is searched, where it has no histogram
    std::unique_ptr<ResponsePair[]> responses_;  // response and weight of every row in quanta
    std::unique_ptr<Word[]> words_;              // the same in words, where they fit
    std::vector<Sum> sums_;                      // of `ResponseSums`
    bool fits_ = false;
    int64_t heaviest_ = 0;  // no weight is greater
    Sum total_[2] = {0, 0};
    std::vector<Node> nodes_;
    GrowInput in_;
    TreeLimits limits_;
    Workers workers_{nullptr, 1};
    const Frontier* tree_ = nullptr;

    int64_t class_size() const { return static_cast<int64_t>(tiles_.n_features) * N_BINS; }
    int64_t size() const { return 2 * class_size(); }
    NodeRows rows_of(const Node& node) const {
        return {order_.data(), {node.bounds[0], node.bounds[1], node.bounds[2], node.bounds[3]}};
    }

    void take_block(Node& node) {
        if (free_.empty()) {
            blocks_.emplace_back();
            blocks_.back().histogram.reset(new Sum[size()]);
            blocks_.back().hopeless.resize(tiles_.n_features);
            free_.push_back(static_cast<int>(blocks_.size()) - 1);
        }
        node.block = free_.back();
        free_.pop_back();
        blocks_[node.block].counted = blocks_[node.block].in_words = false;
    }

    void give_block(Node& node) {
        if (node.block != NO_BLOCK) free_.push_back(node.block);
        node.block = NO_BLOCK;
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

    void count_copies(Node& node) const {
        node.copies = node.size();
        if (!in_.rows.copies || !counting()) return;
        node.copies = 0;
        for (int z = 0; z < 2; z++)
            for (int64_t i = node.bounds[2 * z]; i < node.bounds[2 * z + 1]; i++) node.copies += in_.rows.copies[order_[i]];
    }

    bool may_split(int k) const { return tree_->searchable(k) && nodes_[k].copies >= 2 * limits_.min_samples_leaf; }

    // Whether a node, and all below it, are searched by their rows. That takes less time where one cut of each feature competes,
    // if rows or features are few.
    bool without_histogram(const Node& node) const {
        const int64_t n_drawn = in_.draw.number ? in_.draw.number : tiles_.n_features;
        return in_.draw.cuts && node.size() <= FewRows::MOST && node.size() * n_drawn <= ROWS_OF_ALL_FEATURES * tiles_.n_features;
    }

    void take_few(const Node& node) {
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
        Node& node = nodes_[k];
        if (k == 0 && in_.root && given_up(node.size(), 1)) return in_.root;
        Block& block = take_clean_block(node);
        Sum* out = block.histogram.get();
        if (k == 0 && in_.root)
            copy_root(out);
        else if (in_.sums && fits_)
            sum_in_words(node, block, nullptr, 0);
        else
            sum_rows(node, true, out, nullptr);
        return out;
    }

    Block& take_clean_block(Node& node) {
        take_block(node);
        Block& block = blocks_[node.block];
        std::fill(block.hopeless.begin(), block.hopeless.end(), 0);
        return block;
    }

    // The histogram of all rows of a regression; units are such that their weights add up to 1.
    void build_root() {
        assert(in_.sums && !in_.drawn.listed);
        if (without_histogram(nodes_[0])) {
            take_few(nodes_[0]);
            std::copy(few_.total(), few_.total() + 2, total_);
            return set_units();
        }
        Sum* out = take_clean_block(nodes_[0]).histogram.get();
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

    void find_split(int k, Candidate& best) {
        Node& node = nodes_[k];
        const TreeNode& grown = tree_->node(k);
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
            in.histogram = node.block == NO_BLOCK ? built(k) : blocks_[node.block].histogram.get();
            in.side_by_side = in_.sums && in.histogram != in_.root;
            if (in_.sums && !in_.rows.copies) in.heaviest = heaviest_;
            if (node.block != NO_BLOCK) {
                Block& block = blocks_[node.block];
                in.hopeless = block.hopeless.data();
                if (block.in_words) in.words = block.words.get();
                if (counts_bins(node) && !block.counted) count_bins(node, block);
            }
        }
        const Block* block = node.block == NO_BLOCK ? nullptr : &blocks_[node.block];
        const KnownCounts known(block ? block->counts.get() : nullptr);
        if (block && block->counted) in.counts = &known;
        in.bounds = grown.levels;
        std::vector<uint8_t> flags;
        in.allowed = tree_->allowed(k, features_.n, flags);
        const FeatureDraw drawn = in_.draw.of_node(static_cast<uint64_t>(k));
        best.split = best_of_drawn(in, drawn, false, tiles_.n_features >= 512 ? workers_.n_threads : 1);
        if (best.split.feature < 0) return;
        best.gain = BoundedCriterion(in_.criterion, grown.levels).leaf(grown.share[0], grown.share[1]) - best.split.value;
        best.open = best.gain > limits_.least_gain;
        if (!best.open) return;
        best.set_shares(in_.unit);
        in_.criterion.bounds_of_sides(grown.levels, features_.direction(best.split.feature), best.share[0], best.share[1], best.levels);
    }

    // Whether the rows of a node are counted in every bin of every feature.
    bool counts_bins(const Node& node) const {
        return in_.sums && counting() && !in_.rows.copies && node.size() <= COUNTED_ROWS;
    }

    void count_bins(const Node& node, Block& block) {
        if (!block.counts) block.counts.reset(new uint32_t[static_cast<size_t>(class_size())]);
        block.counted = true;
        count_rows_in_bins(tiles_, rows_of(node), block.counts.get());
    }

    // The histogram of a node, if it is to be kept; where `rest` is given, it is taken from that one.
    void sum_rows(const Node& node, bool kept, Sum* part, Sum* rest) {
        const bool parallel = node.size() * tiles_.n_features >= limits_.parallel_cells && workers_.n_threads > 1;
        const Workers workers{workers_.scratch, parallel ? workers_.n_threads : 1};
        if (in_.sums) return sum_responses(node, kept ? part : nullptr, rest, workers);
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
    void sum_responses(const Node& node, Sum* part, Sum* rest, const Workers& workers) {
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
    void sum_in_words(const Node& node, Block& part, Block* rest, int64_t n_rest) {
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
    void add_weights(const Node& node, Sum* out) {
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
