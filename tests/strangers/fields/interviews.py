"""What people are asked to write on a whiteboard: paths, boards, grids, intervals, groups."""


def _numbers(n, count, below):
    return [(n * 7 + i * i * 3 + i * n) % below for i in range(count)]


def ways_through(n):
    """All ways from a corner of a small graph to the other."""
    graph = {0: [1, 2], 1: [2, 3], 2: [3, 4], 3: [4], 4: []}
    ways = []

    def walk(node, way):
        if node == 4:
            ways.append(way)
            return
        for after in graph[node]:
            walk(after, way + [after])

    walk(n % 5, [n % 5])
    return len(ways), max(len(way) for way in ways), sum(map(sum, ways))


def ways_back(node, last):
    """The same, by what the function returns."""
    if node >= last:
        return [[node]]
    found = []
    for step in (1, 2):
        for way in ways_back(node + step, last):
            found.append([node] + way)
    return found


def number_of_ways(n):
    ways = ways_back(0, n % 6)
    return len(ways), ways[0][-1], len(ways[-1])


def change_for(n):
    """The ways to pay a sum with coins, each as a list."""
    coins = [2, 3, 5]
    found = []

    def pay(k, left, paid):
        if left == 0:
            found.append(paid)
            return
        if left < 0 or k == len(coins):
            return
        pay(k, left - coins[k], paid + [coins[k]])
        pay(k + 1, left, paid)

    pay(0, 4 + n, [])
    return len(found), sum(len(paid) for paid in found)


def queens(n):
    """The boards of the queens that do not see each other."""
    size = 4 + n % 2
    boards = []

    def place(row, columns):
        if row == size:
            boards.append(columns)
            return
        for c in range(size):
            if all(c != d and abs(c - d) != row - r for r, d in enumerate(columns)):
                place(row + 1, columns + [c])

    place(0, [])
    return len(boards), boards[0][0], boards[-1][-1]


def islands(n):
    """How many islands a map has; what was seen is sunk."""
    grid = [[1 if (i * 3 + j * 5 + n * i * j) % 3 else 0 for j in range(5)] for i in range(4)]

    def sink(i, j):
        if i < 0 or j < 0 or i >= 4 or j >= 5 or grid[i][j] == 0:
            return
        grid[i][j] = 0
        sink(i + 1, j)
        sink(i - 1, j)
        sink(i, j + 1)
        sink(i, j - 1)

    count = 0
    for i in range(4):
        for j in range(5):
            if grid[i][j]:
                count += 1
                sink(i, j)
    return count


def life(n):
    """Two generations of Conway's game, the neighbours counted by a comprehension."""
    g = [[1 if (i * 3 + j * 5 + n) % 4 == 0 else 0 for j in range(5)] for i in range(5)]
    for _ in range(2):
        new = [[0] * 5 for _ in range(5)]
        for i in range(5):
            for j in range(5):
                alive = sum(
                    g[a][b]
                    for a in range(max(0, i - 1), min(5, i + 2))
                    for b in range(max(0, j - 1), min(5, j + 2))
                    if (a, b) != (i, j)
                )
                new[i][j] = 1 if alive == 3 or (g[i][j] and alive == 2) else 0
        g = new
    return sum(map(sum, g)), g[2][2]


def knapsack(n):
    """The best value, and what is packed for it."""
    weights, values = [2, 3, 4, 5], [3, 4, 5, 6 + n % 3]
    room = 5 + n % 4
    best = [[0] * (room + 1) for _ in range(5)]
    for i in range(1, 5):
        for w in range(room + 1):
            best[i][w] = best[i - 1][w]
            if weights[i - 1] <= w:
                best[i][w] = max(best[i][w], best[i - 1][w - weights[i - 1]] + values[i - 1])
    packed, left = [], room
    for i in range(4, 0, -1):
        if best[i][left] != best[i - 1][left]:
            packed.append(i - 1)
            left -= weights[i - 1]
    return best[4][room], len(packed), packed[0]


def levels(n):
    """A tree level by level; a leaf has no entry."""
    tree = {1: [2, 3], 2: [4, 5], 3: [6]}
    found, now = [], [1]
    while now:
        found.append(now)
        below = []
        for node in now:
            below.extend(tree.get(node, []))
        now = below
    return len(found), sum(found[n % len(found)])


def merged_queues(n):
    """Sorted lists made one, with a heap of their first elements."""
    import heapq

    lists = [[n + 3 * i + j * j for j in range(3 + i)] for i in range(3)]
    heap = [(xs[0], i, 0) for i, xs in enumerate(lists)]
    heapq.heapify(heap)
    out = []
    while heap:
        x, i, j = heapq.heappop(heap)
        out.append(x)
        if j + 1 < len(lists[i]):
            heapq.heappush(heap, (lists[i][j + 1], i, j + 1))
    return out[4], out[-1], len(out)


def two_means(n):
    """Points in two clusters, the means by a comprehension."""
    points = [1.0, 1.5, 2.0, 8.0, 9.0 + n, 10.0]
    centres = [1.0, 9.0]
    for _ in range(5):
        groups = [[], []]
        for p in points:
            groups[0 if abs(p - centres[0]) < abs(p - centres[1]) else 1].append(p)
        centres = [sum(g) / len(g) if g else centres[i] for i, g in enumerate(groups)]
    return centres[0], centres[1]


def added_interval(n):
    """A new interval among those that are in order."""
    spans = [[1, 2], [3, 5], [6, 7], [8, 10], [12, 16]]
    new = [n, n + 4]
    found = []
    for span in spans:
        if span[1] < new[0]:
            found.append(span)
        elif span[0] > new[1]:
            found.append(new)
            new = span
        else:
            new = [min(new[0], span[0]), max(new[1], span[1])]
    found.append(new)
    return len(found), sum(b - a for a, b in found)


def all_orders(xs):
    if len(xs) <= 1:
        return [xs]
    found = []
    for i in range(len(xs)):
        for order in all_orders(xs[:i] + xs[i + 1 :]):
            found.append([xs[i]] + order)
    return found


def orders(n):
    found = all_orders([1, 2, n % 4])
    return len(found), found[n % 6][0], found[-1][-1]


def spiral(n):
    """A table read round and round, its rows taken away."""
    m = [[(i * 4 + j + n) % 10 for j in range(4)] for i in range(3)]
    found = []
    while m:
        found += m.pop(0)
        if m and m[0]:
            for row in m:
                found.append(row.pop())
        if m:
            found += m.pop()[::-1]
        if m and m[0]:
            for row in m[::-1]:
                found.append(row.pop(0))
    return found[5], len(found)


def groups_of(n):
    """Who belongs together, by the names of the roots."""
    parent = list(range(6))

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for a, b in [(0, n % 6), (1, (n + 1) % 6), (2, 3)]:
        parent[find(a)] = find(b)
    groups = {}
    for i in range(6):
        groups.setdefault(find(i), []).append(i)
    return len(groups), max(map(len, groups.values()))


def anagrams(n):
    """Words with the same letters."""
    words = ["eat", "tea", "tan", "ate", "nat", "bat"][: 3 + n % 4]
    groups = {}
    for word in words:
        groups.setdefault("".join(sorted(word)), []).append(word)
    return len(groups), max(len(g) for g in groups.values())


def courses(n):
    """Whether the courses can be taken, each after those that it needs."""
    graph = {i: [] for i in range(4)}
    needs = [0] * 4
    for a, b in [(0, 1), (1, 2), (2, 3), (3, n % 4)]:
        graph[a].append(b)
        needs[b] += 1
    free = [i for i in range(4) if needs[i] == 0]
    taken = 0
    while free:
        course = free.pop()
        taken += 1
        for after in graph[course]:
            needs[after] -= 1
            if needs[after] == 0:
                free.append(after)
    return taken == 4, taken


def rain(n):
    """The water that stands between walls."""
    walls = _numbers(n, 12, 5)
    left, right, highest_left, highest_right, water = 0, len(walls) - 1, 0, 0, 0
    while left < right:
        if walls[left] < walls[right]:
            highest_left = max(highest_left, walls[left])
            water += highest_left - walls[left]
            left += 1
        else:
            highest_right = max(highest_right, walls[right])
            water += highest_right - walls[right]
            right -= 1
    return water


_ALL = tuple((n,) for n in range(8))

CASES = (
    (ways_through, _ALL), (number_of_ways, _ALL), (change_for, _ALL), (queens, _ALL),
    (islands, _ALL), (life, _ALL), (knapsack, _ALL), (levels, _ALL), (merged_queues, _ALL),
    (two_means, _ALL), (added_interval, _ALL), (orders, _ALL), (spiral, _ALL), (groups_of, _ALL),
    (anagrams, _ALL), (courses, _ALL), (rain, _ALL),
)  # fmt: skip
