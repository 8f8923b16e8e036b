"""One adapter per contestant; each says what it optimises.

``ALL`` lists those of forward selection by leave-one-out in the order of the tables, ``PENALTY``
those that choose a penalty by folds.
"""

from benchmarks.peers import (
    abess_splicing,
    algorithm2,
    covariance_method,
    cvmatrix_eigen,
    eigen_method,
    fastcan_correlation,
    himalaya_ridge,
    holdfast_forward,
    holdfast_hold_out,
    matching_pursuit,
    mlxtend_sequential,
    naive_folds,
    plain_wrapper,
    sklearn_ridge_cv,
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

PENALTY = [
    holdfast_hold_out.PENALTY,
    eigen_method.PENALTY,
    cvmatrix_eigen.PENALTY,
    covariance_method.PENALTY,
    sklearn_ridge_cv.PENALTY,
    himalaya_ridge.PENALTY,
    naive_folds.PENALTY,
]
