"""Searches over per-member arrays: trees, tables, boards, game trees and token streams."""

from __future__ import annotations

import numpy as np

import pcbatch
from tests.conformance.programs.record import Program, ints


@pcbatch.autobatch
def tree_sum(left, right, value, node):
    """Sum over a binary tree that is given as arrays; -1 means no child."""
    if node < 0:
        return 0
    below = tree_sum(left, right, value, left[node]) + tree_sum(left, right, value, right[node])
    return value[node] + below


@pcbatch.autobatch
def tree_depth(left, right, node):
    if node < 0:
        return 0
    return 1 + max(tree_depth(left, right, left[node]), tree_depth(left, right, right[node]))


@pcbatch.autobatch
def leftmost_deepest(left, right, node):
    """A tuple result of a double recursion, compared and selected: (depth, node)."""
    if node < 0:
        return 0, -1
    left_depth, left_node = leftmost_deepest(left, right, left[node])
    right_depth, right_node = leftmost_deepest(left, right, right[node])
    if left_depth == 0 and right_depth == 0:
        return 1, node
    if left_depth >= right_depth:
        return left_depth + 1, left_node
    return right_depth + 1, right_node


@pcbatch.autobatch
def tree_search(left, right, value, wanted):
    """Iterative descent through a search tree; the path length comes along."""
    node, length = 0, 0
    while node >= 0 and value[node] != wanted:
        node = left[node] if wanted < value[node] else right[node]
        length += 1
    return node, length


@pcbatch.autobatch
def binary_search(xs, wanted):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@pcbatch.autobatch
def binary_search_recursive(xs, wanted, low, high):
    if low >= high:
        return -1
    middle = low + (high - low) // 2
    if xs[middle] == wanted:
        return middle
    if xs[middle] < wanted:
        return binary_search_recursive(xs, wanted, middle + 1, high)
    return binary_search_recursive(xs, wanted, low, middle)


@pcbatch.autobatch
def queens(board, columns, rising, falling):
    """Count placements by bit masks; `board` has one bit per column."""
    if columns == board:
        return 1
    count = 0
    free = board & ~(columns | rising | falling)
    while free:
        bit = free & -free
        free = free ^ bit
        count += queens(board, columns | bit, (rising | bit) << 1, (falling | bit) >> 1)
    return count


@pcbatch.autobatch
def subset_sums(xs, index, target):
    """Count the subsets of `xs[index:]` with the given sum."""
    if index == len(xs):
        return 1 if target == 0 else 0
    count = subset_sums(xs, index + 1, target)
    if xs[index] <= target:
        count += subset_sums(xs, index + 1, target - xs[index])
    return count


@pcbatch.autobatch
def alpha_beta(leaves, node, alpha, beta, maximize):
    """Minimax with pruning over a complete binary tree stored as a heap of depth 3.

    Returns the value and the number of leaves that were looked at.
    """
    if node >= 7:
        return leaves[node - 7], 1
    looked_at = 0
    best = -100 if maximize else 100
    for child in (2 * node + 1, 2 * node + 2):
        value, below = alpha_beta(leaves, child, alpha, beta, not maximize)
        looked_at += below
        if maximize:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, looked_at


PLUS, TIMES, OPEN, CLOSE, END = 10, 11, 12, 13, 14


@pcbatch.autobatch
def parse_sum(tokens, position):
    """Recursive descent over tokens: (value, next position) of `product (+ product)*`."""
    total, position = parse_product(tokens, position)
    while tokens[position] == PLUS:
        value, position = parse_product(tokens, position + 1)
        total += value
    return total, position


@pcbatch.autobatch
def parse_product(tokens, position):
    total, position = parse_atom(tokens, position)
    while tokens[position] == TIMES:
        value, position = parse_atom(tokens, position + 1)
        total *= value
    return total, position


@pcbatch.autobatch
def parse_atom(tokens, position):
    if tokens[position] == OPEN:
        value, position = parse_sum(tokens, position + 1)
        return value, position + 1
    return tokens[position], position + 1


@pcbatch.autobatch
def evaluate(tokens):
    value, position = parse_sum(tokens, 0)
    if tokens[position] != END:
        return -1
    return value


@pcbatch.autobatch
def longest_run(xs):
    """State machine with several live counters and a reset."""
    best, run, start, best_start = 0, 0, 0, -1
    for i in range(len(xs)):
        if i > 0 and xs[i] == xs[i - 1]:
            run += 1
        else:
            run, start = 1, i
        if run > best:
            best, best_start = run, start
    return best, best_start


@pcbatch.autobatch
def edit_distance(a, b, i, j):
    """Plain recursion on two per-member sequences."""
    if i == 0:
        return j
    if j == 0:
        return i
    if a[i - 1] == b[j - 1]:
        return edit_distance(a, b, i - 1, j - 1)
    change = edit_distance(a, b, i - 1, j - 1)
    insert = edit_distance(a, b, i, j - 1)
    delete = edit_distance(a, b, i - 1, j)
    return 1 + min(change, insert, delete)


def _tokens(text: str) -> np.ndarray:
    codes = {"+": PLUS, "*": TIMES, "(": OPEN, ")": CLOSE}
    tokens = [codes[c] if c in codes else int(c) for c in text]
    return np.array(tokens + [END] * (16 - len(tokens)), np.int32)


def _search_trees(count: int, size: int) -> tuple[np.ndarray, ...]:
    """Random binary search trees: `left`, `right` and `value`, each `int32[count, size]`."""
    rng = np.random.default_rng(4)
    left = np.full((count, size), -1, np.int32)
    right = np.full((count, size), -1, np.int32)
    value = np.stack([rng.permutation(3 * size)[:size] for _ in range(count)]).astype(np.int32)
    for tree in range(count):
        for new in range(1, size):
            node = 0
            while True:
                side = left if value[tree, new] < value[tree, node] else right
                if side[tree, node] < 0:
                    side[tree, node] = new
                    break
                node = side[tree, node]
    return left, right, value


_LEFT, _RIGHT, _VALUE = _search_trees(9, 11)
_ROOTS = ints(0, 0, 0, 0, 0, 0, -1, 1, 10)
_RNG = np.random.default_rng(5)
_SORTED = np.sort(_RNG.integers(0, 30, size=(10, 7)), axis=1).astype(np.int32)
_EXPRESSIONS = (
    "7",
    "1+2",
    "2*3",
    "1+2*3",
    "(1+2)*3",
    "2*(3+4)*5",
    "((((9))))",
    "(1+1)*(2+2)",
    "1)",
    "3+4*(2+2*(1+1))",
)

PROGRAMS = (
    Program("tree_sum", tree_sum, (_LEFT, _RIGHT, _VALUE, _ROOTS), tags=("xla",)),
    Program("tree_depth", tree_depth, (_LEFT, _RIGHT, _ROOTS)),
    Program("tree_deepest_leaf", leftmost_deepest, (_LEFT, _RIGHT, _ROOTS)),
    Program(
        "tree_search",
        tree_search,
        (_LEFT, _RIGHT, _VALUE, np.append(_VALUE[:7, 9], [-1, 99]).astype(np.int32)),
    ),
    Program(
        "binary_search",
        binary_search,
        (_SORTED, np.append(_SORTED[:7, 3], [-5, 40, 15]).astype(np.int32)),
    ),
    Program(
        "binary_search_recursive",
        binary_search_recursive,
        (
            _SORTED,
            np.append(_SORTED[:7, 3], [-5, 40, 15]).astype(np.int32),
            np.zeros(10, np.int32),
            np.full(10, 7, np.int32),
        ),
    ),
    Program(
        "queens",
        queens,
        ((1 << ints(0, 1, 2, 3, 4, 5, 6, 4)) - 1, ints(*[0] * 8), ints(*[0] * 8), ints(*[0] * 8)),
        tags=("xla",),
    ),
    Program(
        "subset_sums",
        subset_sums,
        (
            _RNG.integers(1, 6, size=(8, 6)).astype(np.int32),
            ints(0, 0, 0, 1, 2, 6, 6, 3),
            ints(0, 5, 9, 4, 3, 0, 1, 100),
        ),
    ),
    Program(
        "alpha_beta",
        alpha_beta,
        (
            _RNG.integers(-9, 10, size=(8, 8)).astype(np.int32),
            ints(0, 0, 0, 0, 1, 3, 7, 14),
            ints(*[-100] * 8),
            ints(*[100] * 8),
            np.array([True, False, True, False, True, True, False, True]),
        ),
        tags=("xla",),
    ),
    Program(
        "expression_parser",
        evaluate,
        (np.stack([_tokens(text) for text in _EXPRESSIONS]),),
        tags=("xla",),
    ),
    Program("longest_run", longest_run, (_RNG.integers(0, 2, size=(9, 8)).astype(np.int32),)),
    Program(
        "edit_distance",
        edit_distance,
        (
            _RNG.integers(0, 3, size=(8, 4)).astype(np.int32),
            _RNG.integers(0, 3, size=(8, 4)).astype(np.int32),
            ints(0, 0, 3, 4, 4, 2, 3, 1),
            ints(0, 4, 0, 4, 3, 2, 3, 4),
        ),
    ),
)
