"""What comes out of a run: draws, statistics of them, warnings, pictures and files.

Reading order: `axes` (names of axes), `draws` (the data), `extension` (more draws after them),
`each_draw`, `joint_models` and `predictions` (what a model says at the draws), `mixing` (statistics
that cost little), `arviz_versions` and `arviz_groups` (ArviZ, and a fit in its form), `choice` and
`summary` (rows and what is shown of them), `diagnostics` (what makes the rows), `warnings`,
`plots`, `fit` (draws with all of these), `streamed_fit` (the result of a run that keeps no draws)
and `report` (a fit in words, for the command line).
"""
