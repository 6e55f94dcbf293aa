"""The fit of one structure: estimates, posterior draws, statistics and memberships."""
