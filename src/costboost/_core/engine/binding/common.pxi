# What all bindings share: memory layout, criteria and limits as structs, signals, and checks of the arrays that are passed in.
#
# Each function checks once per call that its arrays fit together; the kernels rely on it.

cdef extern from "common.hpp" namespace "costboost" nogil:
    int N_BINS
    int TILE_PADDING
    int64_t C_MOST_ROWS "costboost::MOST_ROWS"

    cdef cppclass Range:
        int64_t begin, end

    cdef cppclass Tiles:
        const uint8_t* bytes
        int64_t n_rows, n_positive
        int n_features

    cdef cppclass MutableTiles:
        uint8_t* bytes
        int64_t n_rows, n_positive
        int n_features

    cdef cppclass CFeatures "costboost::Features":
        int n
        const int32_t* n_bins
        const uint8_t* categorical
        const int8_t* monotone
        const int32_t* places
        int n_places

    cdef cppclass CTest "costboost::Test":
        int feature
        const uint8_t* left

    cdef cppclass CNodeRows "costboost::NodeRows":
        const uint32_t* listed
        int64_t bounds[4]

    cdef cppclass CResponses "costboost::Responses":
        const double* response
        const double* weight
        double scale[2]


cdef extern from "limits.hpp" namespace "costboost" nogil:
    cdef cppclass CStop "costboost::Stop":
        void set()
        cbool is_set() const

    void c_obey "costboost::obey"(const CStop*)
    cbool told_to_stop()

    cdef cppclass Interrupt:
        int (*requested)() noexcept

    cdef cppclass CInteractions "costboost::Interactions":
        int most
        const int32_t* members
        const int64_t* ends
        int64_t n_groups

    cdef cppclass CTreeLimits "costboost::TreeLimits":
        int max_depth, max_leaves
        int64_t min_samples_leaf
        double least_gain
        int64_t parallel_cells
        CInteractions interactions
        Interrupt interrupt


cdef extern from "Python.h":
    int PyErr_CheckSignals() noexcept  # leaves the exception to the caller
    void PyErr_SetNone(object) noexcept


BINS = N_BINS
MISSING = N_BINS - 1
PADDING = TILE_PADDING
MOST_ROWS = C_MOST_ROWS

Interactions = namedtuple("Interactions", ["most", "members", "ends"], defaults=[None, None], module=__name__)
TreeLimits = namedtuple(
    "TreeLimits",
    ["max_depth", "max_leaf_nodes", "min_samples_leaf", "least_gain", "parallel_cells", "interactions"],
    defaults=[None, None, 1, 0.0, 1, None],
    module=__name__,
)


# ---- checks ----------------------------------------------------------------------------------------------------

cdef int check_length(str name, Py_ssize_t found, Py_ssize_t expected) except -1:
    if found != expected:
        raise ValueError(f"{name} has length {found}, expected {expected}")
    return 0


cdef int check_shape(str name, Py_ssize_t n, Py_ssize_t m, Py_ssize_t n_expected, Py_ssize_t m_expected) except -1:
    if n != n_expected or m != m_expected:
        raise ValueError(f"{name} has shape ({n}, {m}), expected ({n_expected}, {m_expected})")
    return 0


cdef int check_histogram(str name, const int64_t[:, :, ::1] sums, Py_ssize_t n_features) except -1:
    if sums.shape[0] != 2 or sums.shape[1] != n_features or sums.shape[2] != N_BINS:
        found = sums.shape[0], sums.shape[1], sums.shape[2]
        raise ValueError(f"{name} has shape {found}, expected (2, {n_features}, {N_BINS})")
    return 0


cdef int check_feature(int feature, int n_features) except -1:
    if not 0 <= feature < n_features:
        raise ValueError(f"feature {feature} does not exist: there are {n_features}")
    return 0


cdef int check_run(int64_t begin, int64_t end, int64_t n) except -1:
    if not 0 <= begin <= end <= n:
        raise ValueError(f"rows {begin} to {end} are not within 0 to {n}")
    return 0


cdef int check_some(str name, Py_ssize_t n) except -1:
    if n < 1:
        raise ValueError(f"{name} is empty")
    return 0


cdef int check_number_of_rows(int64_t n_rows) except -1:
    if n_rows > C_MOST_ROWS:
        raise ValueError(f"{n_rows} rows are more than the {C_MOST_ROWS} that one shard holds")
    return 0


# ---- arguments as structs --------------------------------------------------------------------------------------

cdef class Features:
    """Numbers of bins, flags of categories, directions or None, and places among the features that vary or None; they are checked when they are first used.

    The arrays must not change afterwards.
    """

    cdef readonly object n_bins, categorical, monotone, places
    cdef const int32_t[::1] n_bins_view
    cdef const uint8_t[::1] categorical_view
    cdef const int8_t[::1] monotone_view
    cdef const int32_t[::1] places_view
    cdef CFeatures c
    cdef bint checked

    def __cinit__(self, n_bins, categorical, monotone=None, places=None):
        self.n_bins, self.categorical, self.monotone, self.places = n_bins, categorical, monotone, places

    def __reduce__(self):
        return Features, (self.n_bins, self.categorical, self.monotone, self.places)

    def __repr__(self):
        return f"Features({self.n_bins!r}, {self.categorical!r}, {self.monotone!r}, {self.places!r})"

    def directed(self, monotone):
        """These features with directions."""
        return Features(self.n_bins, self.categorical, monotone, self.places)

    def drawn_among(self, varies):
        """These features, of which only those that vary are drawn; `varies` is a mask."""
        places = None if np.all(varies) else np.where(varies, np.cumsum(varies) - 1, -1).astype(np.int32)
        return Features(self.n_bins, self.categorical, self.monotone, places)

    cdef int check(self, Py_ssize_t n_features) except -1:
        cdef const int32_t[::1] n_bins = self.n_bins
        cdef const uint8_t[::1] categorical = self.categorical
        cdef const int8_t[::1] monotone = self.monotone
        cdef const int32_t[::1] places = self.places
        cdef Py_ssize_t f
        check_some("n_bins", n_features)
        check_length("n_bins", n_bins.shape[0], n_features)
        check_length("categorical", categorical.shape[0], n_features)
        for f in range(n_features):
            if not 1 <= n_bins[f] < N_BINS:
                raise ValueError(f"feature {f} has {n_bins[f]} bins, expected 1 to {N_BINS - 1}")
        self.c.monotone = NULL
        if monotone is not None:
            check_length("monotone", monotone.shape[0], n_features)
            for f in range(n_features):
                if monotone[f] and (categorical[f] or not -1 <= monotone[f] <= 1):
                    raise ValueError(f"feature {f} has direction {monotone[f]}, expected -1, 0 or 1, and 0 for categories")
            self.c.monotone = &monotone[0]
        self.c.places = NULL
        if places is not None:
            check_length("places", places.shape[0], n_features)
            self.c.places = &places[0]
            self.c.n_places = <int>np.count_nonzero(self.places >= 0)
        self.c.n = <int>n_features
        self.c.n_bins = &n_bins[0]
        self.c.categorical = &categorical[0]
        self.n_bins_view, self.categorical_view, self.monotone_view, self.places_view = n_bins, categorical, monotone, places
        self.checked = True
        return 0


cdef CFeatures features_of(Features given, Py_ssize_t n_features) except *:
    """Features, checked; the caller keeps the object alive."""
    if given is None:
        raise TypeError("features are None, expected Features")
    if not given.checked or given.c.n != n_features:
        given.check(n_features)
    return given.c


cdef CTreeLimits limits_of(given) except *:
    cdef CTreeLimits limits
    max_depth, max_leaf_nodes, min_samples_leaf, least_gain, parallel_cells, interactions = given
    limits.interactions = interactions_of(interactions)
    limits.max_depth = limit_of(max_depth)
    limits.max_leaves = limit_of(max_leaf_nodes)
    limits.min_samples_leaf = n_rows_of(min_samples_leaf)
    limits.least_gain = least_gain
    limits.parallel_cells = parallel_cells
    limits.interrupt.requested = signalled
    return limits


cdef CInteractions interactions_of(given) except *:
    """A limit to the features of a path (0 for none), and the sorted members of all groups with the end of each, or None."""
    cdef CInteractions interactions
    cdef const int32_t[::1] members
    cdef const int64_t[::1] ends
    cdef Py_ssize_t g
    if given is None:
        return interactions
    interactions.most, members, ends = given
    if members is not None:
        check_some("groups", ends.shape[0])
        for g in range(ends.shape[0]):
            if not (ends[g - 1] if g else 0) < ends[g] <= members.shape[0]:
                raise ValueError(f"group {g} ends at {ends[g]}, which is not after the one before or too far")
        interactions.members, interactions.ends, interactions.n_groups = &members[0], &ends[0], ends.shape[0]
    return interactions


cdef int check_groups(interactions, int n_features) except -1:
    if interactions is not None and interactions.members is not None:
        check_feature(np.min(interactions.members), n_features)
        check_feature(np.max(interactions.members), n_features)
    return 0


cdef CNodeRows node_of(given, int64_t n_rows) except *:
    """All rows for None, or two runs of the listed ones: (rows, four bounds)."""
    cdef CNodeRows node
    cdef const uint32_t[::1] listed
    node.listed = NULL
    node.bounds[0] = 0
    node.bounds[1] = node.bounds[2] = node.bounds[3] = n_rows
    if given is not None:
        listed, bounds = given
        check_length("rows", listed.shape[0], n_rows)
        node.bounds[0], node.bounds[1], node.bounds[2], node.bounds[3] = bounds
        check_run(node.bounds[0], node.bounds[1], n_rows)
        check_run(node.bounds[2], node.bounds[3], n_rows)
        node.listed = &listed[0]
    return node


cdef CResponses responses_of(given, int64_t n_rows) except *:
    """Response times weight, weight, and the scales of both: (response, weight, scales)."""
    cdef CResponses of
    cdef const double[::1] response, weight
    response, weight, scales = given
    check_length("response", response.shape[0], n_rows)
    check_length("weight", weight.shape[0], n_rows)
    of.response = &response[0]
    of.weight = &weight[0]
    of.scale[0], of.scale[1] = scales
    return of


cdef const int64_t* copies_of(const int64_t[::1] copies, int64_t n_rows) except? NULL:
    if copies is None:
        return NULL
    check_length("copies", copies.shape[0], n_rows)
    return &copies[0]


cdef int limit_of(value) except? -2:
    """A limit on depth or leaves, -1 for none; no tree reaches one that no C integer holds."""
    return -1 if value is None else min(value, INT_MAX)


cdef int64_t n_rows_of(value) except? -2:
    """A number of rows, clipped to more than there can ever be."""
    return min(value, 1 << 60)


cdef class Stop:
    """A request that threads end their work; kernels that take long look for it."""

    cdef CStop c

    def set(self):
        """Request it."""
        self.c.set()

    def is_set(self):
        """Whether it is requested."""
        return self.c.is_set()


def obey(Stop stop):
    """Let kernels that this thread calls raise KeyboardInterrupt once `stop` is set; None: never. The caller keeps it alive."""
    if stop is None:
        c_obey(NULL)
    else:
        c_obey(&stop.c)


def is_stopped():
    """Whether this thread obeys a request to stop that is set."""
    return told_to_stop()


cdef int signalled() noexcept with gil:
    """Not 0 if a signal, such as that of Ctrl-C, or a request to stop has raised an exception."""
    if told_to_stop():
        PyErr_SetNone(KeyboardInterrupt)
        return -1
    return PyErr_CheckSignals()
