# Losses of several scores of each row.

cdef extern from "scores.hpp" namespace "costboost" nogil:
    cdef cppclass CScoreRows "costboost::ScoreRows":
        int64_t n
        int n_classes
        const int32_t* code
        const double* start
        const double* log_cost
        cbool exponential

    cdef cppclass MovedScores:
        const double* score
        const double* direction
        double step

    cdef cppclass ScoreOutput:
        double* loss
        double* response
        double* weight

    void c_sum_decisions "costboost::sum_decisions"(const CScoreRows&, const double*, double, int64_t*, int) except +
    vector[double] c_score_losses "costboost::score_losses"(const CScoreRows&, const MovedScores&, const ScoreOutput&, int) except +


cdef class ScoreLoss:
    """A loss of a score for each class: log(1 + sum of C[y, k] e^(F_k - F_y) over k != y), or the sum itself.

    code: class of each row. start: its weight. log_cost: log C, 0 on the diagonal; None if all are 0.
    """

    cdef CScoreRows rows
    cdef object kept

    def __init__(self, const int32_t[::1] code, const double[::1] start, log_cost, int n_classes, bint exponential):
        cdef const double[:, ::1] costs
        check_some("code", code.shape[0])
        check_length("start", start.shape[0], code.shape[0])
        if np.min(code) < 0 or np.max(code) >= n_classes:
            raise ValueError(f"code must be from 0 to {n_classes - 1}")
        self.kept = [code, start]
        self.rows.n, self.rows.n_classes, self.rows.exponential = code.shape[0], n_classes, exponential
        self.rows.code, self.rows.start = &code[0], &start[0]
        self.rows.log_cost = NULL
        if log_cost is not None:
            costs = log_cost
            check_shape("log_cost", costs.shape[0], costs.shape[1], n_classes, n_classes)
            self.kept.append(costs)
            self.rows.log_cost = &costs[0, 0]

    def evaluate(
        self, const double[:, ::1] score, const double[:, ::1] direction, double step,
        double[::1] losses, double[:, ::1] response, double[:, ::1] weight, int n_threads,
    ):
        """Fill in the loss of every row at score + step * direction, and response times weight and weight of every class.

        direction, and response and weight, may be None. Arrays of all classes have a row for each. Returns the greatest loss, then the
        greatest response of each class, then the greatest weight of each.
        """
        cdef MovedScores at
        cdef ScoreOutput out
        cdef vector[double] greatest
        self._check("score", score)
        check_length("losses", losses.shape[0], self.rows.n)
        at.score, at.step = &score[0, 0], step
        at.direction = NULL
        out.loss = &losses[0]
        out.response = NULL
        out.weight = NULL
        if direction is not None:
            self._check("direction", direction)
            at.direction = &direction[0, 0]
        if response is not None:
            self._check("response", response)
            self._check("weight", weight)
            out.response, out.weight = &response[0, 0], &weight[0, 0]
        with nogil:
            greatest = c_score_losses(self.rows, at, out, n_threads)
        return tuple(greatest)

    def decisions(self, const double[:, ::1] score, double scale, int n_threads):
        """Weight of the rows of each class (row) whose greatest score is that of each (column), times scale and rounded.

        Of scores that are equal but for rounding, the first is the greatest.
        """
        cdef int n = self.rows.n_classes
        self._check("score", score)
        out = np.empty((n, n), dtype=np.int64)
        cdef int64_t[:, ::1] sums = out
        with nogil:
            c_sum_decisions(self.rows, &score[0, 0], scale, &sums[0, 0], n_threads)
        return out

    cdef _check(self, name, const double[:, ::1] values):
        check_shape(name, values.shape[0], values.shape[1], self.rows.n_classes, self.rows.n)
