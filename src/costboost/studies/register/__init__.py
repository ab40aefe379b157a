"""The register of claims: what each paper claims, and the check of each claim."""
