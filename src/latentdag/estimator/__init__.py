"""Hidden causes of a DataFrame, with the interface of scikit-learn, which need not be installed."""
