"""Cellular automata and other machines that go from state to state."""


def wolfram_step(cells, rule):
    """One step of an elementary automaton on a ring."""
    if not 0 <= rule <= 255:
        raise ValueError("the rule must be between 0 and 255")
    n = len(cells)
    new = []
    for i in range(n):
        pattern = 4 * cells[i - 1] + 2 * cells[i] + cells[(i + 1) % n]
        new.append((rule >> pattern) & 1)
    return new


def wolfram_density(cells, rule, steps):
    for _ in range(steps):
        cells = wolfram_step(cells, rule)
    return sum(cells) / len(cells)


def count_neighbours(board, row, col):
    total = 0
    for r in range(row - 1, row + 2):
        for c in range(col - 1, col + 2):
            if (r, c) != (row, col) and 0 <= r < len(board) and 0 <= c < len(board[0]):
                total += board[r][c]
    return total


def life_step(board):
    new = [[0] * len(board[0]) for _ in board]
    for r in range(len(board)):
        for c in range(len(board[0])):
            n = count_neighbours(board, r, c)
            if board[r][c] == 1 and n in (2, 3):
                new[r][c] = 1
            elif board[r][c] == 0 and n == 3:
                new[r][c] = 1
    return new


def langtons_ant(steps):
    """How many cells are black after some steps on a board of 11 by 11."""
    size = 11
    grid = [[0] * size for _ in range(size)]
    x = y = size // 2
    dx, dy = 0, -1
    for _ in range(steps):
        if grid[y][x] == 0:
            dx, dy = -dy, dx
        else:
            dx, dy = dy, -dx
        grid[y][x] ^= 1
        x = (x + dx) % size
        y = (y + dy) % size
    return sum(sum(row) for row in grid)


def collatz_length(n):
    if not isinstance(n, int):
        raise TypeError("n must be an integer")
    if n < 1:
        raise ValueError("n must be positive")
    length = 1
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        length += 1
    return length


def collatz_path(n):
    path = [n]
    while n > 1:
        if n % 2:
            n = 3 * n + 1
        else:
            n //= 2
        path.append(n)
    return path


def lfsr_period(seed, taps):
    """The period of a shift register of four bits."""
    state = seed
    period = 0
    while True:
        bit = bin(state & taps).count("1") % 2
        state = (state >> 1) | (bit << 3)
        period += 1
        if state == seed or period >= 16:
            return period


def linear_congruential(seed, a, c, m, count):
    numbers = []
    x = seed
    for _ in range(count):
        x = (a * x + c) % m
        numbers.append(x)
    return numbers


def cycle_length(seed, m):
    """Floyd's tortoise and hare on x*x + 1 mod m."""

    def f(x):
        return (x * x + 1) % m

    tortoise, hare = f(seed), f(f(seed))
    while tortoise != hare:
        tortoise = f(tortoise)
        hare = f(f(hare))
    length = 1
    hare = f(tortoise)
    while tortoise != hare:
        hare = f(hare)
        length += 1
    return length


def traffic_light(state, seconds):
    """Red 0, green 1, yellow 2; when does it show what?"""
    durations = {0: 30, 1: 25, 2: 5}
    while seconds >= durations[state]:
        seconds -= durations[state]
        state = (state + 1) % 3
    return state, durations[state] - seconds


def sandpile(grid):
    """Topple until no pile has more than three grains."""
    size = len(grid)
    changed = True
    while changed:
        changed = False
        for r in range(size):
            for c in range(size):
                if grid[r][c] > 3:
                    grid[r][c] -= 4
                    changed = True
                    for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                        if 0 <= r + dr < size and 0 <= c + dc < size:
                            grid[r + dr][c + dc] += 1
    return grid


RING = [
    [0, 0, 0, 1, 0, 0, 0],
    [1, 0, 1, 0, 1, 0, 1],
    [1, 1, 1, 1, 1, 1, 1],
    [0, 0, 0, 0, 0, 0, 0],
    [0, 1, 1, 0, 1, 0, 0],
    [1, 0, 0, 0, 0, 0, 1],
]
BOARDS = [
    [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]],
    [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    [[0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]],
    [[1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]],
]
PILES = [
    [[4, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[0, 0, 0], [0, 16, 0], [0, 0, 0]],
    [[3, 3, 3], [3, 4, 3], [3, 3, 3]],
    [[1, 2, 3], [3, 2, 1], [0, 0, 0]],
    [[8, 0, 8], [0, 0, 0], [8, 0, 8]],
    [[0, 4, 0], [4, 0, 4], [0, 4, 0]],
]

CASES = [
    (wolfram_step, [(cells, rule) for cells, rule in zip(RING, (30, 110, 90, 184, 255, 256))]),
    (wolfram_density, [(cells, rule, 4) for cells, rule in zip(RING, (30, 110, 90, 184, 255, 1))]),
    (life_step, [(board,) for board in BOARDS]),
    (langtons_ant, [(0,), (1,), (5,), (11,), (30,), (52,)]),
    (collatz_length, [(1,), (6,), (27,), (0,), (97,), (-5,)]),
    (collatz_path, [(1,), (6,), (7,), (8,), (12,), (9,)]),
    (lfsr_period, [(1, 3), (8, 9), (5, 3), (15, 15), (2, 8), (7, 1)]),
    (
        linear_congruential,
        [
            (1, 5, 3, 16, 5),
            (7, 1103515245, 12345, 2147483648, 3),
            (0, 1, 1, 10, 4),
            (3, 2, 0, 7, 6),
            (9, 9, 9, 9, 1),
            (1, 1, 1, 1, 2),
        ],
    ),
    (cycle_length, [(2, 8), (3, 101), (0, 13), (5, 1000), (1, 2), (7, 997)]),
    (traffic_light, [(0, 10), (0, 30), (1, 100), (2, 4), (2, 5), (1, 0)]),
    (sandpile, [(grid,) for grid in PILES]),
]
