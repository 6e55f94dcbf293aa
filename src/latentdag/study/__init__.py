"""What a study makes of scores: tables, and statistics from tables to tables."""
