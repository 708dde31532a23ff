"""Memo tables, boards and stacks: lists of numbers or None, and of words."""

import math


def climb_stairs(n):
    """The number of ways to climb n stairs by one, two or three at a time."""
    memo = [None] * (n + 1)

    def ways(k):
        if k < 0:
            return 0
        if k == 0:
            return 1
        if memo[k] is not None:
            return memo[k]
        memo[k] = ways(k - 1) + ways(k - 2) + ways(k - 3)
        return memo[k]

    return ways(n)


def fewest_stamps(amount):
    """The least number of stamps of 4, 7 and 9 cents, -1 if there is none."""
    best = [None] * (amount + 1)
    best[0] = 0
    for a in range(1, amount + 1):
        for stamp in [4, 7, 9]:
            if stamp <= a and best[a - stamp] is not None:
                if best[a] is None or best[a - stamp] + 1 < best[a]:
                    best[a] = best[a - stamp] + 1
    if best[amount] is None:
        return -1
    return best[amount]


class HashTable:
    def __init__(self, size):
        self.size = size
        self.keys = [None] * size
        self.values = [None] * size

    def put(self, key, value):
        slot = key % self.size
        while self.keys[slot] is not None and self.keys[slot] != key:
            slot = (slot + 1) % self.size
        self.keys[slot] = key
        self.values[slot] = value

    def get(self, key):
        slot = key % self.size
        for _ in range(self.size):
            if self.keys[slot] is None:
                return None
            if self.keys[slot] == key:
                return self.values[slot]
            slot = (slot + 1) % self.size
        return None


def squares_in_a_hash_table(n, wanted):
    """The square of a number that has been put into the table, -1 if it has not."""
    table = HashTable(11)
    for i in range(n):
        table.put(3 * i, i * i)
    found = table.get(wanted)
    return -1 if found is None else found


def ring_buffer(n, size):
    """What is left in a ring of the numbers below n, from the oldest on."""
    ring = [None] * 6
    head = 0
    for i in range(n):
        ring[head] = i
        head = (head + 1) % size
    out = []
    for k in range(size):
        x = ring[(head + k) % size]
        if x is not None:
            out.append(x)
    return out


def balanced(seed, n):
    """Are n brackets of a sequence balanced?"""
    stack = []
    for i in range(n):
        c = "([{)]}"[(seed * (i + 3) + i * i) % 6]
        if c in "([{":
            stack.append(c)
        else:
            if not stack:
                return False
            top = stack.pop()
            if c == ")" and top != "(":
                return False
            if c == "]" and top != "[":
                return False
            if c == "}" and top != "{":
                return False
    return len(stack) == 0


def play_noughts_and_crosses(seed):
    """The score of a game of which a seed makes the moves: 1 for X, -1 for O."""
    board = [" "] * 9
    player = "X"
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    moves = 0
    while moves < 9:
        seed = (seed * 75 + 74) % 65537
        at = seed % 9
        if board[at] != " ":
            continue
        board[at] = player
        moves += 1
        for a, b, c in lines:
            if board[a] == player and board[b] == player and board[c] == player:
                return 1 if player == "X" else -1
        player = "O" if player == "X" else "X"
    return 0


def traffic(n):
    """How often each light was on after n changes of three lights."""
    lights = ["red", "green", "amber"]
    after = {"red": "green", "green": "amber", "amber": "red"}
    counts = {"red": 0, "green": 0, "amber": 0}
    for i in range(n):
        lights[i % 3] = after[lights[i % 3]]
        for light in lights:
            counts[light] += 1
    return counts["red"], counts["green"], counts["amber"]


def langtons_ant(steps):
    """The number of black cells after so many steps of the ant."""
    grid = [["white"] * 11 for _ in range(11)]
    row, col, facing = 5, 5, "north"
    right = {"north": "east", "east": "south", "south": "west", "west": "north"}
    left = {"north": "west", "west": "south", "south": "east", "east": "north"}
    for _ in range(steps):
        if grid[row][col] == "white":
            facing = right[facing]
            grid[row][col] = "black"
        else:
            facing = left[facing]
            grid[row][col] = "white"
        if facing == "north":
            row = (row - 1) % 11
        elif facing == "south":
            row = (row + 1) % 11
        elif facing == "east":
            col = (col + 1) % 11
        else:
            col = (col - 1) % 11
    return sum(cells.count("black") for cells in grid)


class Tracker:
    """The least, the largest and the last of some measurements."""

    def __init__(self):
        self.least = None
        self.largest = None
        self.last = None

    def add(self, x):
        if self.least is None or x < self.least:
            self.least = x
        if self.largest is None or x > self.largest:
            self.largest = x
        self.last = x


def swing(n):
    """The range of a sum of sines, 0 if there is no term."""
    tracker = Tracker()
    total = 0.0
    for k in range(1, n + 1):
        total += math.sin(k) / k
        tracker.add(total)
    if tracker.least is None:
        return 0.0
    return tracker.largest - tracker.least


def stable_marriage(shift):
    """The partners of four men in a stable marriage; the women rank them by a shift."""
    men = [[0, 1, 2, 3], [2, 1, 0, 3], [1, 3, 2, 0], [0, 2, 3, 1]]
    wife = [None] * 4
    husband = [None] * 4
    proposed = [0] * 4
    free = [0, 1, 2, 3]
    while free:
        man = free.pop()
        woman = men[man][proposed[man]]
        proposed[man] += 1
        rival = husband[woman]
        if rival is None:
            husband[woman] = man
            wife[man] = woman
        elif (man + shift * woman) % 4 < (rival + shift * woman) % 4:
            husband[woman] = man
            wife[man] = woman
            wife[rival] = None
            free.append(rival)
        else:
            free.append(man)
    return wife


CASES = [
    (climb_stairs, [(n,) for n in (0, 1, 2, 5, 9, 14)]),
    (fewest_stamps, [(n,) for n in (0, 1, 4, 10, 13, 23)]),
    (squares_in_a_hash_table, [(0, 0), (3, 6), (8, 14), (9, 24), (9, 1), (10, 27)]),
    (ring_buffer, [(0, 3), (2, 4), (9, 4), (20, 6), (5, 5), (7, 2)]),
    (balanced, [(1, 2), (2, 4), (3, 6), (4, 0), (5, 8), (6, 2)]),
    (play_noughts_and_crosses, [(s,) for s in (1, 2, 3, 7, 100, 4242)]),
    (traffic, [(n,) for n in (0, 1, 2, 4, 7, 10)]),
    (langtons_ant, [(n,) for n in (0, 1, 2, 10, 33, 50)]),
    (swing, [(n,) for n in (0, 1, 2, 3, 5, 8)]),
    (stable_marriage, [(s,) for s in (0, 1, 2, 3, 4, 5)]),
]
