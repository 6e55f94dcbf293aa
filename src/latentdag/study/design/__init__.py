"""The draws and the model of a study, a user's table, and the files of cases and parameters."""
