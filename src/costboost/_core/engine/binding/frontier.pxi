# The order, the numbering and the limits of growing trees.

cdef extern from "frontier.hpp" namespace "costboost" nogil:
    cdef cppclass CTreeCandidate "costboost::Candidate":
        cbool open
        double gain
        CSplit split
        double share[2][2]
        CBounds levels[2]

    cdef cppclass TreeNode:
        double share[2]
        CBounds levels
        int left
        CTreeCandidate best

    cdef enum class Order "costboost::Order"(int):
        GREATEST_GAIN
        LAST_FOUND

    cdef cppclass CFrontier "costboost::Frontier":
        void begin(const CTreeLimits&, Order)
        void root(const double*) except +
        int size()
        const TreeNode& node(int)
        cbool searchable(int)
        const uint8_t* allowed(int, int, vector[uint8_t]&) except +
        void found(int, const CTreeCandidate&) except +
        int next()
        int divide(int) except +
        vector[int] promising() except +
        cbool last()


cdef class Frontier:
    """The nodes of a growing tree, numbered in the order in which they are made, and which of its leaves is divided next.

    That is the first one whose gain is the greatest but for ties; with last_found, the one whose split was found last.
    """

    cdef CFrontier c
    cdef object limits  # whose arrays are used
    cdef int n_features

    def __cinit__(self, limits, int n_features, bint last_found=False):
        self.limits, self.n_features = limits, n_features
        check_some("features", n_features)
        check_groups(limits.interactions, n_features)
        self.c.begin(limits_of(limits), Order.LAST_FOUND if last_found else Order.GREATEST_GAIN)

    cdef const TreeNode* node(self, int k) except NULL:
        if not 0 <= k < self.c.size():
            raise ValueError(f"node {k} does not exist: there are {self.c.size()}")
        return &self.c.node(k)

    def root(self, shares):
        """Make node 0, by the shares of both classes in all rows."""
        cdef double share[2]
        share[0], share[1] = shares
        if self.c.size():
            raise ValueError("the tree has a root already")
        self.c.root(share)

    def shares(self, int k):
        """Shares of both classes in a node."""
        cdef const TreeNode* node = self.node(k)
        return node.share[0], node.share[1]

    def levels(self, int k):
        """Least and greatest level of the leaves below a node."""
        cdef const TreeNode* node = self.node(k)
        return node.levels.low, node.levels.high

    def split(self, int k):
        """The split that was found for a node."""
        cdef Split split = Split.__new__(Split)
        split.c = self.node(k).best.split
        return split

    def searchable(self, int k):
        """Whether a node may be divided as far as its depth is concerned."""
        self.node(k)
        return self.c.searchable(k)

    def allowed(self, int k):
        """Flags of the features that may be tested in a node; None where all of them may be."""
        cdef vector[uint8_t] flags
        self.node(k)
        if self.c.allowed(k, self.n_features, flags) == NULL:
            return None
        return np.array(flags, dtype=np.uint8)

    def found(self, int k, candidate):
        """Set the split by which a leaf may be divided, its gain, and the shares and the levels of both sides; None: it stays a leaf."""
        cdef CTreeCandidate best
        cdef Split split
        if candidate is None:
            return
        if self.node(k).left >= 0:
            raise ValueError(f"node {k} is divided already")
        split, best.gain, shares, levels = candidate
        best.open, best.split = True, split.c
        for side in range(2):
            best.share[side][0], best.share[side][1] = shares[side]
            best.levels[side] = bounds_of(levels[side])
        self.c.found(k, best)

    def next(self):
        """The leaf to divide next; None where the tree is complete."""
        cdef int k = self.c.next()
        return None if k < 0 else k

    def promising(self):
        """Leaves that will probably be divided soon, the greatest gains first."""
        return self.c.promising()

    def divide(self, int k):
        """Divide a leaf; its sides are the node that is returned and the one behind it."""
        if not self.node(k).best.open or self.node(k).left >= 0:
            raise ValueError(f"node {k} is no leaf with a split")
        return self.c.divide(k)

    @property
    def last(self):
        """Whether there are as many leaves as there may be, so that the last sides need not be searched."""
        return self.c.last()

    def laid(self):
        """The tree as arrays; see `laid_of`."""
        return laid_of(self.c)


cdef laid_of(const CFrontier& tree):
    """Arrays of the nodes in the order in which they were made: first child or -1, splits of those that have children, then gain,
    shares, and least and greatest level of all."""
    cdef const TreeNode* node
    cdef int k, n = tree.size()
    cdef int64_t inner = 0
    lefts, gains, shares, bounds = np.empty(n, np.int32), np.zeros(n), np.empty((n, 2)), np.empty((n, 2))
    cdef Splits splits = Splits(n=n // 2)
    cdef int32_t[::1] left = lefts
    cdef double[::1] gain = gains
    cdef double[:, ::1] share = shares, levels = bounds
    for k in range(n):
        node = &tree.node(k)
        left[k] = node.left
        share[k, 0], share[k, 1] = node.share[0], node.share[1]
        levels[k, 0], levels[k, 1] = node.levels.low, node.levels.high
        if node.left >= 0:
            gain[k] = node.best.gain
            splits.put(inner, node.best.split)
            inner += 1
    return lefts, splits, gains, shares, bounds
