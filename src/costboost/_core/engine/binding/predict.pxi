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

    int c_most_tests_on_a_path "costboost::most_tests_on_a_path"(const int32_t*, const int32_t*, int, int) except +

    void c_find_leaves "costboost::find_leaves"(const Tiles&, const BinnedTree&, int32_t*, int) except +
    void c_sum_staged "costboost::sum_staged"(const Tiles&, const StumpRounds&, const Above&, int64_t*, int) except +


cdef extern from "compiler.hpp" namespace "costboost" nogil:
    cdef cppclass Program:
        Nodes nodes
        int last_feature

    cdef cppclass StageScores:
        double* data
        int64_t stride

    Program c_compile "costboost::compile"(const Nodes&, const vector[int64_t]&) except +

    cbool c_add_scores "costboost::add_scores"[T](const Program&, const Matrix[T]&, const StageScores&, int) except +


def most_tests_on_a_path(const int32_t[::1] feature, const int32_t[::1] left, int n_features):
    """The most tests of one feature below each other in trees, whose children are behind their parents."""
    cdef Py_ssize_t k, n = feature.shape[0]
    check_some("feature", n)
    check_length("left", left.shape[0], n)
    cdef vector[uint8_t] is_child
    is_child.resize(n)
    for k in range(n):
        if feature[k] < 0:
            continue
        if feature[k] >= n_features or not k < left[k] < n - 1:
            raise ValueError(f"node {k} has a feature or a child that does not exist: there are {n_features} and {n}")
        if is_child[left[k]] or is_child[left[k] + 1]:
            raise ValueError(f"a child of node {k} has two parents")
        is_child[left[k]] = is_child[left[k] + 1] = 1
    cdef int most
    with nogil:
        most = c_most_tests_on_a_path(&feature[0], &left[0], <int>n, n_features)
    return most


cdef class NodeArrays:
    """The nodes of an ensemble, whose arrays must not change."""

    cdef Nodes nodes
    cdef int last_feature
    cdef object arrays

    def __cinit__(self, ensemble):
        cdef const int32_t[::1] first = ensemble.first
        cdef const int32_t[::1] feature = ensemble.feature
        cdef const double[::1] threshold = ensemble.threshold
        cdef const int32_t[::1] left = ensemble.left
        cdef const uint8_t[::1] missing_left = ensemble.missing_left
        cdef const int32_t[::1] category_set = ensemble.category_set
        cdef const double[::1] value = ensemble.value
        cdef const uint8_t[:, ::1] categories = ensemble.categories
        cdef Py_ssize_t n_nodes = feature.shape[0]
        check_some("first", first.shape[0])
        check_length("threshold", threshold.shape[0], n_nodes)
        check_length("left", left.shape[0], n_nodes)
        check_length("missing_left", missing_left.shape[0], n_nodes)
        check_length("category_set", category_set.shape[0], n_nodes)
        check_length("value", value.shape[0], n_nodes)
        check_shape("categories", categories.shape[0], categories.shape[1], categories.shape[0], N_BINS)
        self.arrays = first, feature, threshold, left, missing_left, category_set, value, categories
        self.nodes.first = &first[0]
        self.nodes.n_trees = <int>first.shape[0] - 1
        self.nodes.feature = &feature[0]
        self.nodes.threshold = &threshold[0]
        self.nodes.left = &left[0]
        self.nodes.missing_left = &missing_left[0]
        self.nodes.category_set = &category_set[0]
        self.nodes.value = &value[0]
        self.nodes.categories = NULL
        if categories.shape[0]:
            self.nodes.categories = &categories[0, 0]
        self.last_feature = np.max(ensemble.feature) if n_nodes else -1


cdef class CompiledTrees:
    """Trees of an ensemble, prepared for scores; those of stage k are ends[k], ..., ends[k + 1] - 1.

    The arrays of the ensemble must not change afterwards.
    """

    cdef Program program
    cdef Py_ssize_t n_stages
    cdef object arrays

    def __cinit__(self, ensemble, ends):
        self.arrays = NodeArrays(ensemble)
        cdef Nodes nodes = (<NodeArrays>self.arrays).nodes
        cdef vector[int64_t] bounds = ends
        self.n_stages = <Py_ssize_t>bounds.size() - 1
        check_some("ends", self.n_stages)
        for k in range(self.n_stages):
            check_run(bounds[k], bounds[k + 1], nodes.n_trees)
        with nogil:
            self.program = c_compile(nodes, bounds)

    def add_scores(self, const real[:, :] x, double[:, :] score, int n_threads):
        """Add the trees of each stage to a row of scores; return whether a value that a row was tested for is infinite."""
        check_shape("score", score.shape[0], score.shape[1], self.n_stages, x.shape[0])
        if x.shape[0] == 0:
            return False
        if self.program.last_feature >= x.shape[1]:
            raise ValueError(f"feature {self.program.last_feature} does not exist: there are {x.shape[1]}")
        if (x.shape[0] > 1 and score.strides[1] != sizeof(double)) or score.strides[0] % <int64_t>sizeof(double):
            raise ValueError("the scores of a stage must lie one behind the other")
        cdef StageScores scores
        scores.data = &score[0, 0]
        scores.stride = score.strides[0] // <int64_t>sizeof(double)
        cdef Matrix[real] m = matrix_of(x)
        cdef cbool infinite
        with nogil:
            infinite = c_add_scores(self.program, m, scores, n_threads)
        return bool(infinite)
