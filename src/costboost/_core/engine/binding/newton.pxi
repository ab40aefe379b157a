# Scores of rows under a logistic likelihood, and Newton's steps from them.

cdef class NewtonScores:
    """The score of every row, and loss, working response and weight at a score that is tried."""

    cdef Likelihood likelihood
    cdef readonly object response, weight, loss
    cdef object scores, direction
    cdef double *c_response
    cdef double *c_weight
    cdef double *c_losses
    cdef double *c_score
    cdef double *c_moved
    cdef const double *c_direction
    cdef int64_t n
    cdef int n_threads

    def __init__(self, int64_t n_rows, int n_threads):
        check_some("the rows", n_rows)
        self.n = n_rows
        self.n_threads = n_threads
        self.response, self.weight, self.loss = np.empty((3, n_rows))
        self.scores = np.zeros((2, n_rows))
        cdef double[::1] response = self.response, weight = self.weight, losses = self.loss
        cdef double[:, ::1] scores = self.scores
        self.c_response, self.c_weight, self.c_losses = &response[0], &weight[0], &losses[0]
        self.c_score, self.c_moved = &scores[0, 0], &scores[1, 0]
        self.c_direction = NULL

    def set_likelihood(self, Likelihood likelihood):
        """Set the likelihood; scores stay as they are."""
        check_length("the labels", likelihood.rows.n, self.n)
        self.likelihood = likelihood

    def propose(self, const double[::1] direction, double scale):
        """Set the direction of the next step; return the quanta of the weight on rows that it moves the wrong way."""
        cdef Direction of
        cdef int64_t total
        check_length("direction", direction.shape[0], self.n)
        self.direction, self.c_direction = direction, &direction[0]
        of.weight, of.label, of.direction, of.scale = self.c_weight, self.likelihood.rows.label, self.c_direction, scale
        with nogil:
            total = c_weight_against(of, self.n, self.n_threads)
        return total

    cdef const double* tried(self, step) except NULL:
        """The scores after a step in the proposed direction; the accepted ones if it is None."""
        cdef int64_t i
        cdef double size
        if step is None:
            return self.c_score
        size = step
        if self.c_direction == NULL:
            raise ValueError("a step needs a direction: call propose() first")
        with nogil:
            for i in range(self.n):
                self.c_moved[i] = self.c_direction[i] * size + self.c_score[i]
        return self.c_moved

    def accept(self):
        """Keep the scores that were tried last."""
        self.c_score, self.c_moved = self.c_moved, self.c_score

    def find_losses(self, step):
        """Compute the loss of every row after a step; return the greatest."""
        cdef double greatest[3]
        cdef const double* score = self.tried(step)
        with nogil:
            c_likelihood(self.likelihood.rows, score, self.c_losses, NULL, greatest, self.n_threads)
        return greatest[0]

    def linearise(self, step, double limit, bint plain):
        """Compute loss, response times weight, and weight of every row after a step; return the greatest of each."""
        cdef double greatest[3]
        cdef Working working
        cdef const double* score = self.tried(step)
        working.response, working.weight = self.c_response, self.c_weight
        working.limit, working.plain = limit, plain
        with nogil:
            c_likelihood(self.likelihood.rows, score, self.c_losses, &working, greatest, self.n_threads)
        return greatest[0], greatest[1], greatest[2]
