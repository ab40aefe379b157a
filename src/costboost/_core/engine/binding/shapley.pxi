# Shapley values of sums of trees.

cdef extern from "shapley.hpp" namespace "costboost" nogil:
    void c_add_shapley "costboost::add_shapley"(
        const Nodes&, const Matrix[double]&, int64_t, const Matrix[double]&, int64_t, Range, cbool, const int64_t*, double*, int, int,
        const Interrupt&
    ) except +

    void c_add_reached "costboost::add_reached"(const Nodes&, const Matrix[double]&, int64_t, int64_t*, int) except +


def add_shapley(
    CompiledTrees trees,
    const double[:, :] x,
    const double[:, :] background,
    int64_t begin,
    int64_t end,
    bint along_paths,
    double[:, ::1] values,
    int n_threads,
    reached=None,
):
    """Add the Shapley values of the trees begin, ..., end - 1 for every row, compared with the rows of a background.

    reached: number of rows at each node, which take the place of the background along the paths; it may have no rows then.
    """
    cdef const int64_t[::1] counts
    cdef const int64_t* at_nodes = NULL
    check_shape("values", values.shape[0], values.shape[1], x.shape[0], x.shape[1])
    check_length("the columns of the background", background.shape[1], x.shape[1])
    if reached is None:
        check_some("background", background.shape[0])
    elif not along_paths:
        raise ValueError("numbers of rows at the nodes are for values along the paths")
    else:
        counts = reached
        check_length("reached", counts.shape[0], trees.program.nodes.first[trees.program.nodes.n_trees])
        at_nodes = &counts[0]
    check_run(begin, end, trees.program.nodes.n_trees)
    if trees.program.last_feature >= x.shape[1]:
        raise ValueError(f"feature {trees.program.last_feature} does not exist: there are {x.shape[1]}")
    if x.shape[0] == 0:
        return
    cdef Matrix[double] rows = matrix_of(x)
    cdef Matrix[double] others = matrix_of(background)
    cdef Range chosen
    chosen.begin = begin
    chosen.end = end
    cdef Interrupt interrupt
    interrupt.requested = signalled
    with nogil:
        c_add_shapley(
            trees.program.nodes, rows, x.shape[0], others, background.shape[0], chosen, along_paths, at_nodes,
            &values[0, 0], <int>x.shape[1], n_threads, interrupt,
        )


def add_reached(ensemble, const double[:, :] x, int64_t[::1] reached, int n_threads):
    """Add, for each node of an ensemble, the number of rows that reach it."""
    cdef NodeArrays arrays = NodeArrays(ensemble)
    check_length("reached", reached.shape[0], arrays.nodes.first[arrays.nodes.n_trees])
    if arrays.last_feature >= x.shape[1]:
        raise ValueError(f"feature {arrays.last_feature} does not exist: there are {x.shape[1]}")
    if x.shape[0] == 0:
        return
    cdef Matrix[double] rows = matrix_of(x)
    with nogil:
        c_add_reached(arrays.nodes, rows, x.shape[0], &reached[0], n_threads)
