"""The summary of a study in Markdown, one file per section."""
