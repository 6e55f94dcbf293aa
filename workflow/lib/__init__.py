"""What the rules and their scripts share."""
