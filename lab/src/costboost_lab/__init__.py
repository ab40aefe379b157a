"""Research behind costboost: studies of the papers, their data sets, theory of the algorithms."""
