"""Trees grown best gain first, whatever the rows of their nodes are and wherever these are."""
