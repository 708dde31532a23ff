"""More functions that were typed in one go and tried once: some are refused."""

from collections import OrderedDict, defaultdict, deque
from itertools import groupby


def reach(n):
    graph = {"a": {"b": 2, "c": n}, "b": {"d": 3}, "c": {"d": 1}, "d": {}}
    best = 10**6

    def walk(u, cost):
        nonlocal best
        if u == "d":
            best = min(best, cost)
            return
        for v, w in graph[u].items():
            walk(v, cost + w)

    walk("a", 0)
    return best


def graph_built(n):
    g = defaultdict(dict)
    for i in range(n):
        a, b = i % 4, (i * 3 + 1) % 4
        g[a][b] = i
        g[b][a] = i
    total = 0
    for u in g:
        for v, w in g[u].items():
            total += u * v * w
    return total


def transpose(n):
    rows = []
    for i in range(n):
        rows.append([i, i * i, n - i])
    cols = [sum(c) for c in zip(*rows)]
    return cols


def transpose2(n):
    m = [[1, 2, n], [4, n, 6]]
    t = [list(r) for r in zip(*m)]
    return t


class Node:
    def __init__(self):
        self.children = {}
        self.end = False


def trie(n):
    root = Node()
    for w in ("car", "cat", "dog", "do"):
        node = root
        for ch in w:
            if ch not in node.children:
                node.children[ch] = Node()
            node = node.children[ch]
        node.end = True
    text = "cat" if n % 2 else "cow"
    node = root
    for ch in text:
        if ch not in node.children:
            return 0
        node = node.children[ch]
    return 1 + node.end


def trie_dict(n):
    root = {}
    for w in ("car", "cat", "dog", "do"):
        node = root
        for ch in w:
            node = node.setdefault(ch, {})
        node["$"] = True
    text = "cat" if n % 2 else "cow"
    node = root
    for ch in text:
        if ch not in node:
            return 0
        node = node[ch]
    return 1 + ("$" in node)


def lru(n):
    cache = OrderedDict()
    hits = 0
    for i in range(30):
        k = (i * n) % 7
        if k in cache:
            hits += 1
            cache.move_to_end(k)
        else:
            cache[k] = i
            if len(cache) > 3:
                cache.popitem(last=False)
    return hits, list(cache.keys())


def bits(n):
    return max(len(list(g)) for k, g in groupby(bin(n)[2:]) if k == "1")


def which(n):
    best = max if n % 2 else min
    return best([3, n, 5])


def longest(n):
    words = ["a" * n, "bcd", "ef"]
    out = ""
    for w in words:
        out = max(out, w, key=len)
    return out


def joined(n):
    d = deque("abc")
    d.rotate(n)
    return "".join(d)


def sci(n):
    x = n * 1.5e10
    return f"{x:e}", f"{x:.3e}"


def nested_counts(n):
    sales = {"north": {"jan": 10, "feb": n}, "south": {"jan": 7, "feb": 9}}
    total = {}
    for region in sales:
        total[region] = sum(sales[region].values())
    best = max(total, key=total.get)
    return best, max(sales[best].values())


def inventory(n):
    stock = {}
    for i in range(n):
        item = ("nut", "bolt", "gear")[i % 3]
        if item not in stock:
            stock[item] = {"count": 0, "value": 0.0}
        stock[item]["count"] += 1
        stock[item]["value"] += i * 0.5
    return sum(s["value"] for s in stock.values()), stock["nut"]["count"]


def machine(n):
    delta = {"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}}
    state = "even"
    for ch in bin(n)[2:]:
        state = delta[state][ch]
    return state


def markov(n):
    T = {"sun": {"sun": 0.9, "rain": 0.1}, "rain": {"sun": 0.5, "rain": 0.5}}
    s = "sun"
    x = n
    seen = []
    for _ in range(6):
        x = (x * 1103515245 + 12345) % 2147483648
        u = x / 2147483648
        acc = 0.0
        for t, p in T[s].items():
            acc += p
            if u < acc:
                s = t
                break
        seen.append(s)
    return seen.count("rain")


SEEDS = [(1,), (2,), (3,), (4,), (5,), (8,)]
CASES = [
    (function, SEEDS)
    for function in (
        reach,
        graph_built,
        transpose,
        transpose2,
        trie,
        trie_dict,
        lru,
        bits,
        which,
        longest,
        joined,
        sci,
        nested_counts,
        inventory,
        machine,
        markov,
    )
]
