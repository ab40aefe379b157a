"""What people use in files, terminals and pages; it uses the public modules."""
