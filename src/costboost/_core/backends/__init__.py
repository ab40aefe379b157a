"""Where the rows of a training are, and how they are reached: one protocol, several back ends."""
