"""What hiding whose records were read buys: subsampling and shuffling."""

from dpviz.amplification.amplification import Amplification
from dpviz.amplification.shuffling import SHUFFLE_BOUNDS, amplify_by_shuffling
from dpviz.amplification.subsampling import (
    AMPLIFICATIONS,
    amplify,
    amplify_with_replacement,
    base_epsilon,
    sampling_rate,
)

__all__ = [
    "AMPLIFICATIONS",
    "SHUFFLE_BOUNDS",
    "Amplification",
    "amplify",
    "amplify_by_shuffling",
    "amplify_with_replacement",
    "base_epsilon",
    "sampling_rate",
]
