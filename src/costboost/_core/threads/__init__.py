"""Work side by side: in threads of this process, or in processes."""
