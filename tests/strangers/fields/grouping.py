"""Dicts of lists as interviews and first courses have them: groups, graphs, indexes, histories."""

from collections import defaultdict, deque


def topological_order(n):
    """An order of tasks in which each comes after what it needs."""
    needed = [0] * 5
    after = {i: [] for i in range(5)}
    for a, b in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (n % 3, 4)]:
        after[a].append(b)
        needed[b] += 1
    order = []
    ready = [i for i in range(5) if needed[i] == 0]
    while ready:
        v = ready.pop(0)
        order.append(v)
        for w in after[v]:
            needed[w] -= 1
            if needed[w] == 0:
                ready.append(w)
    return order


def steps_from_home(n):
    """Breadth-first search in a graph that is a dict of neighbours."""
    roads = {}
    for a, b in [(0, 1), (1, 2), (2, 3), (4, 5), (3, n % 4), (n % 6, 5)]:
        roads.setdefault(a, []).append(b)
        roads.setdefault(b, []).append(a)
    steps = {0: 0}
    todo = deque([0])
    while todo:
        town = todo.popleft()
        for other in roads.get(town, []):
            if other not in steps:
                steps[other] = steps[town] + 1
                todo.append(other)
    return max(steps.values()), len(steps)


def bucket_sort(n):
    buckets = defaultdict(list)
    for x in [12, 7, 25, 31, 4, 18, n * 3]:
        buckets[x // 10].append(x)
    result = []
    for key in sorted(buckets):
        result.extend(sorted(buckets[key]))
    return result


def size_of_tree(n):
    """Children by their parents; how large the tree below the root is, by recursion."""
    children = {}
    parents = [-1, 0, 0, 1, 1, 2, n % 6]
    for i in range(1, len(parents)):
        p = parents[i]
        if p in children:
            children[p].append(i)
        else:
            children[p] = [i]

    def size(v):
        if v not in children:
            return 1
        return 1 + sum(size(w) for w in children[v] if w != v)

    return size(0)


def longest_distance_between_equals(n):
    places = defaultdict(list)
    for i, x in enumerate([3, 1, 3, 2, 1, 3, n]):
        places[x].append(i)
    longest = 0
    for x in places:
        longest = max(longest, places[x][-1] - places[x][0])
    return longest, places[3]


def mean_by_group(n):
    pairs = [(1, 3), (2, 5), (1, 4), (3, 9), (2, n)]
    by_key = {}
    for key, value in pairs:
        by_key.setdefault(key, []).append(value)
    means = {}
    for key, values in by_key.items():
        means[key] = sum(values) / len(values)
    return means[1], means[2]


def levels(n):
    """Numbers that are halved, by how often they have been."""
    rows = defaultdict(list)
    todo = [(0, n + 1)]
    while todo:
        depth, k = todo.pop()
        rows[depth].append(k)
        if k > 1:
            todo.append((depth + 1, k // 2))
            todo.append((depth + 1, k - k // 2 - 1))
    return [len(rows[d]) for d in range(len(rows))]


def fullest_day(n):
    """The day with most visits."""
    visits = defaultdict(list)
    for i in range(10):
        visits[(i * n) % 4].append(i)
    return max(visits, key=lambda day: len(visits[day])), max(len(v) for v in visits.values())


class History:
    """Values by key and time, as they were set."""

    def __init__(self):
        self.store = {}

    def set(self, key, value, time):
        if key not in self.store:
            self.store[key] = []
        self.store[key].append((value, time))

    def get(self, key, time):
        answer = -1
        values = self.store.get(key, [])
        low, high = 0, len(values) - 1
        while low <= high:
            middle = (low + high) // 2
            if values[middle][1] <= time:
                answer = values[middle][0]
                low = middle + 1
            else:
                high = middle - 1
        return answer


def values_at_a_time(n):
    history = History()
    for i in range(5):
        history.set(i % 2, i * 10, i)
    return history.get(0, n), history.get(1, n), history.get(5, n)


def hash_set(n):
    """A set of numbers with four buckets."""
    slots = {h: [] for h in range(4)}

    def put(x):
        bucket = slots[x % 4]
        for y in bucket:
            if y == x:
                return False
        bucket.append(x)
        return True

    count = 0
    for i in range(8):
        if put(i * n % 7):
            count += 1
    return count, max(len(b) for b in slots.values())


def components(n):
    """How many parts a graph of sets of neighbours has."""
    near = {v: set() for v in range(5)}
    for a, b in [(0, 1), (1, 2), (3, 4), (n % 5, 0)]:
        near[a].add(b)
        near[b].add(a)
    seen = set()
    parts = 0
    for v in range(5):
        if v not in seen:
            parts += 1
            todo = [v]
            while todo:
                w = todo.pop()
                if w not in seen:
                    seen.add(w)
                    todo.extend(near[w] - seen)
    return parts


def hands(n):
    """Cards dealt to players by turns: who has the highest sum, and what they hold."""
    table = {}
    for card in range(12):
        player = card * (n + 1) % 3
        table[player] = table.get(player, []) + [card]
    best = max(table, key=lambda player: sum(table[player]))
    return best, sorted(table[best])[-1], len(table)


_N = [(n,) for n in (0, 1, 2, 3, 4, 5, 6, 9)]
CASES = [
    (f, _N)
    for f in (
        topological_order, steps_from_home, bucket_sort, size_of_tree,
        longest_distance_between_equals, mean_by_group, levels, fullest_day, values_at_a_time,
        hash_set, components, hands,
    )
]  # fmt: skip
