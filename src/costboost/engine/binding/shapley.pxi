# Shapley values of sums of trees.

cdef extern from "shapley.hpp" namespace "costboost" nogil:
    void c_add_shapley "costboost::add_shapley"(
        const Nodes&, const Matrix[double]&, int64_t, const Matrix[double]&, int64_t, Range, cbool, double*, int, int, const Interrupt&
    ) except +


def add_shapley(
    CompiledTrees trees,
    const double[:, :] x,
    const double[:, :] background,
    int64_t begin,
    int64_t end,
    bint along_paths,
    double[:, ::1] values,
    int n_threads,
):
    """Add the Shapley values of the trees begin, ..., end - 1 for every row, compared with the rows of a background."""
    check_shape("values", values.shape[0], values.shape[1], x.shape[0], x.shape[1])
    check_length("the columns of the background", background.shape[1], x.shape[1])
    check_some("background", background.shape[0])
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
            trees.program.nodes, rows, x.shape[0], others, background.shape[0], chosen, along_paths, &values[0, 0],
            <int>x.shape[1], n_threads, interrupt,
        )
