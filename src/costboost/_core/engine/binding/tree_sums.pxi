# Sums of trees on binned rows, and sigmoids of the scores.

cdef extern from "tree_sums.hpp" namespace "costboost" nogil:
    void c_round_to_grid "costboost::round_to_grid"(double*, const int64_t*, int64_t) except +

    cdef cppclass TreeSums:
        TreeSums(const Tiles&, const uint8_t*) except +
        void begin_tree() except +
        void add_leaf(double) except +
        void add_test(int, int, cbool, const uint8_t*, int32_t) except +
        int64_t n_trees()
        cbool is_valid()
        void round() except +
        void staged(const vector[int64_t]&, double*, int) except +


cdef extern from "line.hpp" namespace "costboost" nogil:
    cdef cppclass FittedLine:
        double slope, offset, loss

    cdef cppclass LineLimits:
        int most_steps, most_halvings
        double settled, least_determinant, rounding

    cdef cppclass ScoredRows:
        int64_t n
        const double* score
        const uint8_t* positive
        const double* counts

    FittedLine c_best_line "costboost::best_line"(const ScoredRows&, double, double, const FittedLine*, const LineLimits&) except +
    void c_sigmoid_losses "costboost::sigmoid_losses"(const FittedLine&, const double*, const uint8_t*, int64_t, double*) except +
    double c_logistic_point "costboost::logistic_point"(const double*, const double*, const double*, const double*, int64_t, double*,
                                                        double*) except +

    cdef cppclass CNewtonSums "costboost::NewtonSums":
        double curvature, gradient
        vector[double] mean, slope, hessian

    CNewtonSums c_newton_sums "costboost::newton_sums"(const double*, int64_t, int64_t, const double*, const double*) except +


def round_to_grid(const double[::1] value, const int32_t[::1] first):
    """Leaf values rounded so that any partial sum of them fits 53 bits; those of tree t begin at first[t]."""
    cdef vector[int64_t] begins
    cdef Py_ssize_t t
    out = np.array(value)
    cdef double[::1] rounded = out
    check_some("first", first.shape[0])
    for t in range(first.shape[0]):
        check_run(begins.back() if t else 0, first[t], value.shape[0])
        begins.push_back(first[t])
    if value.shape[0]:
        c_round_to_grid(&rounded[0], &begins[0], <int64_t>begins.size() - 1)
    return out


cdef int add_tree(TreeSums* sums, tree, double step, int n_features) except -1:
    """Add one tree: first children of all nodes or None for a stump, splits of the inner nodes, and values of the leaves."""
    cdef const int32_t[::1] left
    cdef const double[::1] value
    cdef Splits splits
    cdef Split split
    cdef Py_ssize_t k, inner = 0, leaves = 0
    children, tests, values = tree
    value = values
    sums.begin_tree()
    if children is None:
        split = tests
        check_length("the values of a stump", value.shape[0], 2)
        if split.c.feature >= 0:
            check_feature(split.c.feature, n_features)
            sums.add_test(split.c.feature, split.c.bin, split.c.missing_left, split.c.left, 1)
            sums.add_leaf(step * value[0])
        sums.add_leaf(step * value[1])
        return 0
    splits, left = tests, children
    check_length("the values and splits of a tree", value.shape[0] + splits.c_feature.shape[0], left.shape[0])
    for k in range(left.shape[0]):
        if left[k] < 0:
            if leaves >= value.shape[0]:
                raise ValueError(f"a tree has more leaves than its {value.shape[0]} values")
            sums.add_leaf(step * value[leaves])
            leaves += 1
        else:
            if inner >= splits.c_feature.shape[0]:
                raise ValueError(f"a tree has more tests than its {splits.c_feature.shape[0]} splits")
            check_feature(splits.c_feature[inner], n_features)
            sums.add_test(splits.c_feature[inner], splits.c_bin[inner], splits.c_missing_left[inner], &splits.c_left[inner, 0], left[k])
            inner += 1
    return 0


def staged_sums(BinnedRows rows, const uint8_t[::1] categorical, trees, steps, ends):
    """Scores of all rows after the first ends[0], ends[1], ... trees: n_ends x n_rows.

    trees: see `add_tree`; the values of each are multiplied by its step, and those of all rounded to one grid. categorical: whether
    the bins of each feature are categories.
    """
    cdef vector[int64_t] bounds = ends
    cdef TreeSums* sums
    cdef size_t k
    check_length("categorical", categorical.shape[0], rows.tiles.n_features)
    out = np.empty((bounds.size(), rows.tiles.n_rows))
    cdef double[:, ::1] scores = out
    sums = new TreeSums(rows.tiles, &categorical[0])
    try:
        for tree, step in zip(trees, steps, strict=True):
            add_tree(sums, tree, step, rows.tiles.n_features)
        for k in range(bounds.size()):
            check_run(bounds[k - 1] if k else 0, bounds[k], sums.n_trees())
        if not sums.is_valid():
            raise ValueError("the children of a node must be nodes of its tree")
        if bounds.size():
            with nogil:
                sums.round()
                sums.staged(bounds, &scores[0, 0], rows.n_threads)
    finally:
        del sums
    return out


def best_line(const double[::1] score, const uint8_t[::1] positive, const double[::1] counts, slacks, start, limits):
    """Slope, offset and log loss of the best sigmoid of the scores; see kernels/line.hpp.

    slacks: rows that smoothed targets add to each class, and the least slack. start: slope, offset and loss of a known one, or None.
    """
    cdef ScoredRows rows
    cdef FittedLine found, known
    cdef LineLimits limit
    cdef double smoothing, least_slack
    cdef const FittedLine* begin = NULL
    check_some("score", score.shape[0])
    check_length("positive", positive.shape[0], score.shape[0])
    check_length("counts", counts.shape[0], score.shape[0])
    smoothing, least_slack = slacks
    limit.most_steps, limit.most_halvings, limit.settled, limit.least_determinant, limit.rounding = limits
    rows.n, rows.score, rows.positive, rows.counts = score.shape[0], &score[0], &positive[0], &counts[0]
    if start is not None:
        known.slope, known.offset, known.loss = start
        begin = &known
    with nogil:
        found = c_best_line(rows, smoothing, least_slack, begin, limit)
    return found.slope, found.offset, found.loss


def sigmoid_losses(double slope, double offset, const double[::1] score, const uint8_t[::1] positive):
    """Log loss of every row under the sigmoid of slope * score + offset."""
    cdef FittedLine of
    cdef Py_ssize_t n = score.shape[0]
    check_length("positive", positive.shape[0], n)
    out = np.empty(n)
    cdef double[::1] losses = out
    of.slope, of.offset, of.loss = slope, offset, 0.0
    if n:
        with nogil:
            c_sigmoid_losses(of, &score[0], &positive[0], n, &losses[0])
    return out


def logistic_point(const double[::1] logit, const double[::1] sign, const double[::1] share, const double[::1] slack):
    """Mean loss of a logistic regression, negative gradient and curvature of each row; see kernels/line.hpp."""
    cdef Py_ssize_t n = logit.shape[0]
    cdef double loss
    check_some("logit", n)
    check_length("sign", sign.shape[0], n)
    check_length("share", share.shape[0], n)
    check_length("slack", slack.shape[0], n)
    both = np.empty((2, n))
    cdef double[:, ::1] out = both
    with nogil:
        loss = c_logistic_point(&logit[0], &sign[0], &share[0], &slack[0], n, &out[0, 0], &out[1, 0])
    return loss, both[0], both[1]


def newton_sums(const double[:, ::1] columns, const double[::1] gradient, const double[::1] curvature):
    """Sums over the rows for a Newton step: curvature, gradient, mean columns, slopes and second derivatives by the centred columns."""
    cdef CNewtonSums found
    cdef Py_ssize_t n = columns.shape[0], m = columns.shape[1]
    check_some("columns", n * m)
    check_length("gradient", gradient.shape[0], n)
    check_length("curvature", curvature.shape[0], n)
    with nogil:
        found = c_newton_sums(&columns[0, 0], n, m, &gradient[0], &curvature[0])
    return found.curvature, found.gradient, np.array(found.mean), np.array(found.slope), np.array(found.hessian).reshape(m, m)
