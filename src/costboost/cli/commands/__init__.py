"""The commands, a file each: what they take, and whom they ask."""
