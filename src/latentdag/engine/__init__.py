"""What everything else stands on, and what nobody needs to know to use or to extend the rest.

`jit` compiles functions and keeps their machine code; `simd` has vectors of numbers for them,
`functions` elementary functions of these, `cells` the E-step: the sums over hidden states that
every algorithm needs. `parallel` spreads work over processes, `streams` has the random generators,
`special` and `log_mean` numerics, `significance` the level of all tests, `files` writes whole
files, `checks` looks at arguments, `interrupts` keeps Ctrl-C for a safe point.
"""
