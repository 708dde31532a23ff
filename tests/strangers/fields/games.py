"""Games."""


def nim_winner(heaps):
    """1 if the first player wins."""
    x = 0
    for heap in heaps:
        if heap < 0:
            raise ValueError("a heap cannot be negative")
        x ^= heap
    return 1 if x != 0 else 2


def nim_move(heaps):
    """A winning move as (heap, how many), or (-1, 0)."""
    total = 0
    for h in heaps:
        total ^= h
    if total == 0:
        return -1, 0
    for i, h in enumerate(heaps):
        if h ^ total < h:
            return i, h - (h ^ total)


def tic_tac_toe_winner(board):
    """1 or 2 who has three in a row, 0 if no one has."""
    lines = [
        (0, 1, 2),
        (3, 4, 5),
        (6, 7, 8),
        (0, 3, 6),
        (1, 4, 7),
        (2, 5, 8),
        (0, 4, 8),
        (2, 4, 6),
    ]
    for a, b, c in lines:
        if board[a] != 0 and board[a] == board[b] == board[c]:
            return board[a]
    return 0


def minimax(board, player):
    """The value of a position of noughts and crosses for the first player."""
    winner = tic_tac_toe_winner(board)
    if winner == 1:
        return 1
    if winner == 2:
        return -1
    if 0 not in board:
        return 0
    best = -2 if player == 1 else 2
    for i in range(9):
        if board[i] == 0:
            board[i] = player
            value = minimax(board, 3 - player)
            board[i] = 0
            if player == 1:
                best = max(best, value)
            else:
                best = min(best, value)
    return best


def bowling_score(rolls):
    """The score of a game; the list has 21 places."""
    score = 0
    i = 0
    for frame in range(10):
        if rolls[i] == 10:
            score += 10 + rolls[i + 1] + rolls[i + 2]
            i += 1
        elif rolls[i] + rolls[i + 1] == 10:
            score += 10 + rolls[i + 2]
            i += 2
        else:
            score += rolls[i] + rolls[i + 1]
            i += 2
    return score


def blackjack_value(cards):
    total = 0
    aces = 0
    for card in cards:
        if card == 1:
            aces += 1
            total += 11
        else:
            total += min(card, 10)
    while total > 21 and aces:
        total -= 10
        aces -= 1
    return total


def yahtzee_category(dice):
    """5, 4, 3 of a kind, 32 for a full house, 2 for a pair, 0."""
    counts = sorted([dice.count(face) for face in set(dice)], reverse=True)
    if counts[0] == 5:
        return 5
    if counts[0] == 4:
        return 4
    if counts[0] == 3 and counts[1] == 2:
        return 32
    return counts[0] if counts[0] > 1 else 0


def knight_moves(x, y):
    """How many moves a knight has on an empty board."""
    if not (0 <= x < 8 and 0 <= y < 8):
        raise ValueError("not on the board")
    moves = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
    return len([1 for dx, dy in moves if 0 <= x + dx < 8 and 0 <= y + dy < 8])


def knight_distance(x1, y1, x2, y2):
    """Moves of a knight between two squares, by breadth first search."""
    moves = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
    queue = [(x1, y1, 0)]
    visited = {(x1, y1)}
    while queue:
        x, y, d = queue.pop(0)
        if (x, y) == (x2, y2):
            return d
        for dx, dy in moves:
            a, b = x + dx, y + dy
            if 0 <= a < 5 and 0 <= b < 5 and (a, b) not in visited:
                visited.add((a, b))
                queue.append((a, b, d + 1))
    return -1


def elo_update(a, b, score):
    if score not in (0.0, 0.5, 1.0):
        raise ValueError("score must be 0, 0.5 or 1")
    expected = 1 / (1 + 10 ** ((b - a) / 400))
    return a + 32 * (score - expected)


def rock_paper_scissors(a, b):
    """0 for a draw, 1 or 2 for the winner."""
    if a not in (0, 1, 2) or b not in (0, 1, 2):
        raise ValueError("unknown hand")
    if a == b:
        return 0
    return 1 if (a - b) % 3 == 1 else 2


def snake_length(steps, apples):
    """The snake grows at each apple; how long is it at the end?"""
    length = 1
    position = 0
    eaten = set()
    for step in steps:
        position += step
        for i, apple in enumerate(apples):
            if position == apple and i not in eaten:
                eaten.add(i)
                length += 1
    return length


def peg_jump(board):
    """How many jumps are possible in a row of pegs."""
    jumps = 0
    for i in range(len(board) - 2):
        left, middle, right = board[i : i + 3]
        if middle and left != right:
            jumps += 1
    return jumps


def grundy(n):
    """Heaps from which 1, 2 or n // 2 counters may be taken."""
    values = [0] * (n + 1)
    for k in range(1, n + 1):
        reachable = {values[k - 1]}
        if k >= 2:
            reachable.add(values[k - 2])
            reachable.add(values[k - k // 2])
        g = 0
        while g in reachable:
            g += 1
        values[k] = g
    return values[n]


POSITIONS = [
    [1, 1, 1, 2, 2, 0, 0, 0, 0],
    [1, 2, 1, 1, 2, 2, 2, 1, 0],
    [2, 0, 1, 1, 2, 0, 1, 1, 2],
    [1, 2, 0, 0, 1, 2, 2, 1, 0],
    [1, 2, 1, 2, 2, 1, 0, 1, 0],
    [0, 2, 1, 1, 1, 2, 2, 0, 0],
]

CASES = [
    (
        nim_winner,
        [([1, 2, 3],), ([3, 4, 5],), ([0, 0, 0],), ([7, 7, 1],), ([1, -1, 0],), ([5, 5, 0],)],
    ),
    (
        nim_move,
        [([1, 2, 4],), ([3, 4, 5],), ([0, 0, 0],), ([7, 7, 1],), ([1, 2, 3],), ([5, 9, 0],)],
    ),
    (tic_tac_toe_winner, [(board,) for board in POSITIONS]),
    (minimax, [(board, 1) for board in POSITIONS]),
    (
        bowling_score,
        [
            ([10] * 12 + [0] * 9,),
            ([0] * 21,),
            ([9, 1] * 10 + [9],),
            ([3, 4] * 10 + [0],),
            ([10, 7, 3, 9, 0, 10, 0, 8, 8, 2, 0, 6, 10, 10, 10, 8, 1, 0, 0, 0, 0],),
            ([5] * 21,),
        ],
    ),
    (
        blackjack_value,
        [([1, 13, 0],), ([1, 1, 9],), ([10, 5, 9],), ([1, 5, 6],), ([1, 1, 1],), ([2, 3, 4],)],
    ),
    (
        yahtzee_category,
        [
            ([1, 1, 1, 1, 1],),
            ([2, 2, 2, 2, 5],),
            ([3, 3, 3, 6, 6],),
            ([4, 4, 1, 2, 3],),
            ([1, 2, 3, 4, 6],),
            ([5, 5, 5, 1, 2],),
        ],
    ),
    (knight_moves, [(0, 0), (4, 4), (7, 7), (8, 0), (1, 1), (0, 3)]),
    (
        knight_distance,
        [(0, 0, 0, 0), (0, 0, 1, 2), (0, 0, 4, 4), (2, 2, 2, 3), (0, 1, 4, 0), (1, 1, 2, 2)],
    ),
    (
        elo_update,
        [
            (1500.0, 1500.0, 1.0),
            (1600.0, 1400.0, 0.0),
            (1200.0, 2000.0, 0.5),
            (1500.0, 1500.0, 0.7),
            (2400.0, 2300.0, 1.0),
            (1000.0, 1000.0, 0.5),
        ],
    ),
    (rock_paper_scissors, [(0, 0), (1, 0), (0, 1), (2, 1), (3, 0), (0, 2)]),
    (
        snake_length,
        [
            ([1, 1, 1], [2, 3]),
            ([1, -1, 1], [1, 0]),
            ([2, 2, 2], [1, 3]),
            ([0, 0, 0], [0, 0]),
            ([5, -5, 5], [5, 5]),
            ([1, 2, 3], [6, 1]),
        ],
    ),
    (
        peg_jump,
        [
            ([1, 1, 0, 1, 1, 0],),
            ([0, 0, 0, 0, 0, 0],),
            ([1, 1, 1, 1, 1, 1],),
            ([0, 1, 1, 0, 1, 0],),
            ([1, 0, 1, 0, 1, 0],),
            ([0, 1, 1, 1, 1, 0],),
        ],
    ),
    (grundy, [(0,), (1,), (2,), (5,), (10,), (20,)]),
]
