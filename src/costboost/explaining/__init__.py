"""What each feature adds to the score of a fitted classifier."""
