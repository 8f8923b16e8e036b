"""One adapter per contestant; each says what it optimises.

``ALL`` lists them in the order of the tables.
"""

from benchmarks.peers import (
    abess_splicing,
    algorithm2,
    fastcan_correlation,
    holdfast_forward,
    matching_pursuit,
    mlxtend_sequential,
    plain_wrapper,
    sklearn_sequential,
)

ALL = [
    holdfast_forward.PEER,
    algorithm2.PEER,
    plain_wrapper.PEER,
    sklearn_sequential.LEAVE_ONE_OUT,
    mlxtend_sequential.LEAVE_ONE_OUT,
    sklearn_sequential.FIVE_FOLDS,
    mlxtend_sequential.FIVE_FOLDS,
    fastcan_correlation.PEER,
    abess_splicing.PEER,
    matching_pursuit.PEER,
]
