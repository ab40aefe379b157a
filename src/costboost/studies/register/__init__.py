"""The register of claims: the checks of each study. Their texts are in ``studies/claims``."""
