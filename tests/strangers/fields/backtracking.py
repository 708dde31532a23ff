"""Backtracking and other searches by recursion."""


def is_safe(board, row, col):
    for r in range(row):
        if board[r] == col or abs(board[r] - col) == row - r:
            return False
    return True


def place_queens(board, row, n):
    if row == n:
        return 1
    count = 0
    for col in range(n):
        if is_safe(board, row, col):
            board[row] = col
            count += place_queens(board, row + 1, n)
            board[row] = -1
    return count


def n_queens(n):
    """The number of ways to place n queens."""
    if not isinstance(n, int):
        raise TypeError("n must be an integer")
    if n < 1:
        raise ValueError("n must be positive")
    return place_queens([-1] * n, 0, n)


def subset_sum(values, index, target):
    """How many subsets have this sum."""
    if index == len(values):
        return 1 if target == 0 else 0
    return subset_sum(values, index + 1, target) + subset_sum(
        values, index + 1, target - values[index]
    )


def has_subset_sum(values, target):
    def search(i, rest):
        if rest == 0:
            return True
        if i == len(values) or rest < 0:
            return False
        return search(i + 1, rest - values[i]) or search(i + 1, rest)

    return search(0, target)


def count_paths(grid, row, col):
    """Ways through a grid of 0 and 1 to its last corner, right and down, where 1 is a wall."""
    if row >= len(grid) or col >= len(grid[0]) or grid[row][col] == 1:
        return 0
    if row == len(grid) - 1 and col == len(grid[0]) - 1:
        return 1
    return count_paths(grid, row + 1, col) + count_paths(grid, row, col + 1)


def hanoi(n, source, target, spare):
    """The number of moves."""
    if n == 0:
        return 0
    moves = hanoi(n - 1, source, spare, target)
    moves += 1
    moves += hanoi(n - 1, spare, target, source)
    return moves


def flood_fill(grid, row, col, color):
    """Paint the region around (row, col)."""
    start = grid[row][col]
    if start == color:
        return grid
    stack = [(row, col)]
    while stack:
        r, c = stack.pop()
        if r < 0 or r >= len(grid) or c < 0 or c >= len(grid[0]):
            continue
        if grid[r][c] != start:
            continue
        grid[r][c] = color
        stack.append((r + 1, c))
        stack.append((r - 1, c))
        stack.append((r, c + 1))
        stack.append((r, c - 1))
    return grid


def ackermann(m, n):
    if m < 0 or n < 0:
        raise ValueError("arguments must not be negative")
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def count_change(amount, kinds):
    def first_coin(k):
        return [1, 5, 10, 25, 50][k - 1]

    if amount == 0:
        return 1
    if amount < 0 or kinds == 0:
        return 0
    return count_change(amount, kinds - 1) + count_change(amount - first_coin(kinds), kinds)


def gray_sequence(n):
    """The Gray code of n bits."""
    if n < 0:
        raise ValueError("the number of bits must not be negative")
    if n == 0:
        return [0]
    previous = gray_sequence(n - 1)
    return previous + [x + 2 ** (n - 1) for x in reversed(previous)]


def permutations_count(values, used, last):
    """Orders of the values in which no two neighbours differ by one."""
    if all(used):
        return 1
    total = 0
    for i in range(len(values)):
        if not used[i] and abs(values[i] - last) != 1:
            used[i] = True
            total += permutations_count(values, used, values[i])
            used[i] = False
    return total


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


def hofstadter_female(n):
    if n == 0:
        return 1
    return n - hofstadter_male(hofstadter_female(n - 1))


def hofstadter_male(n):
    if n == 0:
        return 0
    return n - hofstadter_female(hofstadter_male(n - 1))


GRIDS = [
    [[0, 0, 0], [0, 1, 0], [0, 0, 0]],
    [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[1, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]],
    [[0, 0, 1], [0, 0, 0], [1, 0, 0]],
    [[0, 1, 0], [0, 1, 0], [0, 0, 0]],
]

CASES = [
    (n_queens, [(1,), (2,), (3,), (4,), (0,), (5,)]),
    (
        subset_sum,
        [
            ([1, 2, 3, 4], 0, 5),
            ([5, 5, 5, 5], 0, 10),
            ([1, 1, 1, 1], 0, 0),
            ([2, 4, 6, 8], 0, 7),
            ([3, -3, 1, -1], 0, 0),
            ([9, 1, 8, 2], 0, 10),
        ],
    ),
    (
        has_subset_sum,
        [
            ([3, 34, 4, 12], 7),
            ([3, 34, 4, 12], 30),
            ([1, 2, 3, 4], 10),
            ([5, 5, 5, 5], 12),
            ([2, 4, 6, 8], 0),
            ([7, 1, 1, 1], 3),
        ],
    ),
    (count_paths, [(grid, 0, 0) for grid in GRIDS]),
    (hanoi, [(0, 1, 3, 2), (1, 1, 3, 2), (2, 1, 3, 2), (3, 1, 3, 2), (5, 1, 2, 3), (4, 2, 3, 1)]),
    (flood_fill, [(grid, 0, 0, 2) for grid in GRIDS]),
    (ackermann, [(0, 0), (1, 2), (2, 3), (3, 1), (2, -1), (0, 5)]),
    (count_change, [(0, 1), (5, 2), (10, 3), (25, 3), (12, 5), (30, 4)]),
    (gray_sequence, [(0,), (1,), (2,), (3,), (-1,), (4,)]),
    (
        permutations_count,
        [
            ([1, 2, 3, 4], [False] * 4, -5),
            ([1, 3, 5, 7], [False] * 4, -5),
            ([1, 1, 2, 2], [False] * 4, -5),
            ([4, 3, 2, 9], [False] * 4, -5),
            ([0, 10, 20, 30], [True] * 4, -5),
            ([1, 2, 9, 8], [False, True, False, False], 2),
        ],
    ),
    (is_even, [(0,), (1,), (2,), (9,), (10,), (25,)]),
    (hofstadter_female, [(0,), (1,), (2,), (3,), (5,), (7,)]),
]
