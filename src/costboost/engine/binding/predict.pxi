# Scores of ensembles, on raw values and on binned rows.

cdef extern from "predict.hpp" namespace "costboost" nogil:
    cdef cppclass Nodes:
        const int32_t* first
        int n_trees
        const int32_t* feature
        const double* threshold
        const int32_t* left
        const uint8_t* missing_left
        const int32_t* category_set
        const double* value
        const uint8_t* categories

    cdef cppclass BinnedTree:
        const int32_t* feature
        const int32_t* child
        const uint8_t* left

    cdef cppclass StumpRounds:
        int n
        const int32_t* feature
        const uint8_t* left
        const double* value

    cdef cppclass Above:
        const double* limit
        const double* row_limit
        const int64_t* amount

    cbool c_predict_stumps "costboost::predict_stumps"[T](const Matrix[T]&, const Nodes&, Range, double*, int) except +
    cbool c_predict_trees "costboost::predict_trees"[T](const Matrix[T]&, const Nodes&, Range, double*, int) except +
    void c_find_leaves "costboost::find_leaves"(const Tiles&, const BinnedTree&, int32_t*, int) except +
    void c_sum_staged "costboost::sum_staged"(const Tiles&, const StumpRounds&, const Above&, int64_t*, int) except +


def predict(const real[:, :] x, ensemble, int first_tree, int last_tree, bint stumps, double[::1] score, int n_threads):
    """Add the trees first_tree, ..., last_tree - 1 of the ensemble to the scores; return whether a value was infinite."""
    cdef const int32_t[::1] first = ensemble.first
    cdef const int32_t[::1] feature = ensemble.feature
    cdef const double[::1] threshold = ensemble.threshold
    cdef const int32_t[::1] left = ensemble.left
    cdef const uint8_t[::1] missing_left = ensemble.missing_left
    cdef const int32_t[::1] category_set = ensemble.category_set
    cdef const double[::1] value = ensemble.value
    cdef const uint8_t[:, ::1] categories = ensemble.categories
    cdef Py_ssize_t n_nodes = feature.shape[0]
    check_length("score", score.shape[0], x.shape[0])
    check_length("threshold", threshold.shape[0], n_nodes)
    check_length("left", left.shape[0], n_nodes)
    check_length("missing_left", missing_left.shape[0], n_nodes)
    check_length("category_set", category_set.shape[0], n_nodes)
    check_length("value", value.shape[0], n_nodes)
    check_shape("categories", categories.shape[0], categories.shape[1], categories.shape[0], N_BINS)
    if last_tree <= first_tree or x.shape[0] == 0:
        return False
    check_run(first_tree, last_tree, first.shape[0] - 1)
    cdef Range trees
    trees.begin = first_tree
    trees.end = last_tree
    cdef Nodes nodes
    nodes.first = &first[0]
    nodes.n_trees = <int>first.shape[0] - 1
    nodes.feature = &feature[0]
    nodes.threshold = &threshold[0]
    nodes.left = &left[0]
    nodes.missing_left = &missing_left[0]
    nodes.category_set = &category_set[0]
    nodes.value = &value[0]
    nodes.categories = NULL
    if categories.shape[0]:
        nodes.categories = &categories[0, 0]
    cdef Matrix[real] m = matrix_of(x)
    cdef cbool infinite
    with nogil:
        if stumps:
            infinite = c_predict_stumps(m, nodes, trees, &score[0], n_threads)
        else:
            infinite = c_predict_trees(m, nodes, trees, &score[0], n_threads)
    return bool(infinite)
