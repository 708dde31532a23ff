"""Tables that are built row by row, and queues of paths: lists of lists."""


def pascal_middle(n):
    """The entry in the middle of row n of Pascal's triangle."""
    row = [1]
    triangle = [row]
    for _ in range(n):
        row = [1] + [row[k] + row[k + 1] for k in range(len(row) - 1)] + [1]
        triangle.append(row)
    return triangle[n][n // 2]


def edit_distance(a, b):
    """Levenshtein's distance of two words, with the whole table."""
    table = [[j for j in range(len(b) + 1)]]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            row.append(min(row[j - 1] + 1, table[i - 1][j] + 1, table[i - 1][j - 1] + cost))
        table.append(row)
    return table[-1][-1]


def aligned(a, b):
    """Two words with gaps, as Needleman and Wunsch align them."""
    rows = [[-2 * j for j in range(len(b) + 1)]]
    for i in range(len(a)):
        row = [-2 * (i + 1)]
        for j in range(len(b)):
            fit = 1 if a[i] == b[j] else -1
            row.append(max(rows[i][j] + fit, rows[i][j + 1] - 2, row[j] - 2))
        rows.append(row)
    i, j, above, below = len(a), len(b), "", ""
    while i > 0 or j > 0:
        fit = 1 if i > 0 and j > 0 and a[i - 1] == b[j - 1] else -1
        if i > 0 and j > 0 and rows[i][j] == rows[i - 1][j - 1] + fit:
            i, j, above, below = i - 1, j - 1, a[i - 1] + above, b[j - 1] + below
        elif i > 0 and rows[i][j] == rows[i - 1][j] - 2:
            i, above, below = i - 1, a[i - 1] + above, "-" + below
        else:
            j, above, below = j - 1, "-" + above, b[j - 1] + below
    return above + "/" + below


def protein(dna):
    """The amino acids from the first start codon to a stop."""
    names = {"ATG": "M", "TTT": "F", "GGC": "G", "AAA": "K", "TAA": "*", "TGA": "*"}
    start = dna.find("ATG")
    if start < 0:
        return ""
    found = ""
    for k in range(start, len(dna) - 2, 3):
        name = names.get(dna[k : k + 3], "X")
        if name == "*":
            break
        found += name
    return found


def shortest_path(goal, step):
    """The numbers on a shortest way from 1 to the goal by doubling and by adding."""
    waiting = [[1]]
    while waiting:
        path = waiting.pop(0)
        last = path[-1]
        if last == goal:
            return len(path) - 1, sum(path)
        if last < goal and len(path) < 6:
            waiting.append(path + [last * 2])
            waiting.append(path + [last + step])
    return -1, 0


def round_robin(quantum, load):
    """When the last of three jobs is done, and how often they took turns."""
    jobs = [[0, load], [1, 2 * load], [2, 3]]
    time, turns = 0, 0
    while jobs:
        who, left = jobs.pop(0)
        spent = min(quantum, left)
        time += spent
        turns += 1
        if left > spent:
            jobs.append([who, left - spent])
    return time, turns


def subsets_with_sum(n, total):
    """How many subsets of 1 to n have a sum."""
    subsets = [[]]
    for k in range(1, n + 1):
        for s in list(subsets):
            subsets.append(s + [k])
    return sum(1 for s in subsets if sum(s) == total)


def best_of_rounds(seed, rounds):
    """The best of several hands, and the sum of all."""
    hands, best = [], []
    for k in range(rounds):
        hand = [(seed * (k + 2) + 3 * j) % 13 for j in range(5)]
        hands.append(hand)
        if not best or max(hand) > max(best):
            best = hand
    return max(best), sum(map(sum, hands))


def lights_after(n, steps):
    """How many cells of a ring live after some steps of rule 90, and in all generations."""
    cells = [1 if k == n // 2 else 0 for k in range(n)]
    history = [cells]
    for _ in range(steps):
        cells = [cells[k - 1] ^ cells[(k + 1) % n] for k in range(n)]
        history.append(cells)
    return sum(cells), sum(map(sum, history))


def knapsack(capacity, n):
    """The best value of the first n things."""
    weights, values = [3, 4, 5, 9, 4], [3, 4, 4, 10, 4]
    rows = [[0] * (capacity + 1)]
    for k in range(n):
        above = rows[-1]
        row = above[:]
        for c in range(weights[k], capacity + 1):
            row[c] = max(above[c], above[c - weights[k]] + values[k])
        rows.append(row)
    return rows[n][capacity], rows[n // 2][capacity]


def undo(n, seed):
    """What is left of a stack of states after steps back."""
    state = [seed, 0]
    states = [state]
    for k in range(n):
        if (seed * k) % 3 == 2 and len(states) > 1:
            states.pop()
            state = states[-1]
        else:
            state = [state[0] + k, state[1] + 1]
            states.append(state)
    return len(states), state[0], state[1]


def merged(n, gap):
    """How many intervals are left when those that touch are joined, and their length."""
    spans = [[k * k % 17, k * k % 17 + gap] for k in range(n)]
    spans.sort()
    found = [spans[0]]
    for span in spans[1:]:
        if span[0] <= found[-1][1]:
            found[-1][1] = max(found[-1][1], span[1])
        else:
            found.append(span)
    return len(found), sum(b - a for a, b in found)


def inserted(n, start, end):
    """A new interval among those that are there, joined with what it touches."""
    spans = [[3 * k, 3 * k + k % 3] for k in range(n)]
    spans.append([start, end])
    spans.sort(key=lambda span: span[0])
    found = []
    for span in spans:
        if not found or found[-1][1] < span[0]:
            found.append(span)
        else:
            found[-1][1] = max(found[-1][1], span[1])
    return len(found), found[-1][1], sum(b - a for a, b in found)


def in_two_orders(n):
    """Two sorted lists are put together, with an iterator over each."""
    left, right = iter(sorted(k * 7 % 11 for k in range(n))), iter(range(0, 12, 3))
    a, b = next(left, None), next(right, None)
    code = 0
    while a is not None or b is not None:
        if b is None or (a is not None and a <= b):
            code = (code * 13 + a) % 10007
            a = next(left, None)
        else:
            code = (code * 13 + b) % 10007
            b = next(right, None)
    return code


_WORDS = (("kitten", "sitting"), ("", "abc"), ("flaw", "lawn"), ("same", "same"), ("a", ""),
          ("intention", "execution"))  # fmt: skip

CASES = (
    (inserted, ((1, 2, 4), (3, 0, 1), (5, 4, 8), (6, 20, 30), (2, 1, 2), (7, 2, 17))),
    (in_two_orders, ((0,), (1,), (2,), (4,), (7,), (10,))),
    (pascal_middle, ((0,), (1,), (2,), (5,), (8,), (11,))),
    (edit_distance, _WORDS),
    (aligned, _WORDS),
    (protein, (("CCATGTTTGGCTAAGG",), ("ATGAAA",), ("TTTT",), ("",), ("ATGTGA",), ("GATGCCCAAATGA",))),
    (shortest_path, ((1, 1), (10, 3), (7, 1), (9, 2), (16, 5), (5, 7))),
    (round_robin, ((1, 2), (2, 5), (4, 1), (3, 7), (10, 3), (2, 2))),
    (subsets_with_sum, ((0, 0), (3, 3), (4, 5), (5, 6), (2, 9), (5, 10))),
    (best_of_rounds, ((1, 1), (5, 4), (7, 2), (3, 6), (11, 3), (2, 5))),
    (lights_after, ((5, 2), (8, 5), (9, 1), (12, 7), (3, 3), (16, 8))),
    (knapsack, ((10, 5), (0, 3), (7, 2), (12, 5), (5, 1), (15, 4))),
    (undo, ((0, 2), (5, 1), (9, 2), (12, 5), (7, 4), (3, 8))),
    (merged, ((1, 2), (5, 3), (8, 1), (4, 9), (9, 0), (6, 4))),
)  # fmt: skip
