"""Statistics of the scores on one draw of parameters and data: frames that are by n, or by method,
are of one draw; tables that are written, and checks of the evidence, may be of several.
"""
