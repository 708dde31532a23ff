"""Sets and dicts in dicts and lists: neighbours, weights, indexes, counts of what stands together."""

from collections import Counter, defaultdict, deque


def common_friends(n):
    friends = {}
    for a, b in [(1, 2), (2, 3), (1, 4), (4, 3), (n, 2)]:
        if a not in friends:
            friends[a] = set()
        if b not in friends:
            friends[b] = set()
        friends[a].add(b)
        friends[b].add(a)
    return len(friends[1] & friends[3]), sorted(friends[2]), 3 in friends[4]


def is_two_colourable(n):
    graph = {v: set() for v in range(6)}
    for a, b in [(0, 1), (1, 2), (2, 3), (3, 4), (n % 6, 5)]:
        graph[a].add(b)
        graph[b].add(a)
    colour = {0: 0}
    queue = deque([0])
    while queue:
        v = queue.popleft()
        for w in graph[v]:
            if w not in colour:
                colour[w] = 1 - colour[v]
                queue.append(w)
            elif colour[w] == colour[v]:
                return False
    return True


def word_index(n):
    pages = [[1, 2, 3], [2, 3, 4], [n, 5], [1, n]]
    index = defaultdict(set)
    for page, words in enumerate(pages):
        for word in words:
            index[word].add(page)
    return sorted(index[2]), sorted(index[1] & index[n]), len(index)


def cheapest_trips(n):
    """Dijkstra over a dict of dicts."""
    roads = defaultdict(dict)
    for a, b, cost in [(0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, n + 1), (2, 3, 8)]:
        roads[a][b] = cost
        roads[b][a] = cost
    best = {0: 0}
    todo = [0]
    while todo:
        town = min(todo, key=lambda t: best[t])
        todo.remove(town)
        for other, cost in roads[town].items():
            if other not in best or best[town] + cost < best[other]:
                best[other] = best[town] + cost
                todo.append(other)
    return [best[t] for t in range(4)]


def what_follows(n):
    """How often a number stands behind another one."""
    counts = defaultdict(lambda: defaultdict(int))
    numbers = [1, 2, 3, 1, 2, n, 1]
    for a, b in zip(numbers, numbers[1:]):
        counts[a][b] += 1
    return max(counts[1], key=lambda b: counts[1][b]), counts[1][2], len(counts)


def digits_by_length(n):
    by_length = defaultdict(Counter)
    for k in [7, 12, 5, n * 9, 345, 77]:
        text = str(k)
        by_length[len(text)][k % 10] += 1
    return len(by_length), by_length[2][7], sum(by_length[1].values())


def is_latin_square(n):
    grid = [[1, 2, 3], [2, 3, 1], [3, n, 2]]
    rows = [set() for _ in range(3)]
    columns = [set() for _ in range(3)]
    for i in range(3):
        for j in range(3):
            number = grid[i][j]
            if number in rows[i] or number in columns[j]:
                return False
            rows[i].add(number)
            columns[j].add(number)
    return True


def order_of_courses(n):
    needs = {0: set(), 1: {0}, 2: {0, 1}, 3: {2}, 4: {n % 4}}
    order = []
    while needs:
        ready = [course for course, missing in needs.items() if not missing]
        for course in ready:
            del needs[course]
            order.append(course)
        for missing in needs.values():
            missing -= set(ready)
    return order


_N = [(n,) for n in (0, 1, 2, 3, 4, 5, 6, 9)]
CASES = [
    (f, _N)
    for f in (
        common_friends, is_two_colourable, word_index, cheapest_trips, what_follows,
        digits_by_length, is_latin_square, order_of_courses,
    )
]  # fmt: skip
