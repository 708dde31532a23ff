"""Graphs as matrices."""

from collections import deque

INFINITY = float("inf")


def degree_of(adjacency, v):
    if not 0 <= v < len(adjacency):
        raise IndexError("no such vertex")
    return sum(adjacency[v])


def count_edges(adjacency):
    n = len(adjacency)
    edges = 0
    for i in range(n):
        for j in range(i + 1, n):
            if adjacency[i][j]:
                edges += 1
    return edges


def breadth_first(adjacency, start):
    """Steps from start to each vertex, -1 where there is no way."""
    n = len(adjacency)
    distance = [-1] * n
    distance[start] = 0
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in range(n):
            if adjacency[u][v] and distance[v] == -1:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance


def depth_first_order(adjacency, start):
    visited = [False] * len(adjacency)
    order = []
    stack = [start]
    while stack:
        u = stack.pop()
        if visited[u]:
            continue
        visited[u] = True
        order.append(u)
        for v in range(len(adjacency) - 1, -1, -1):
            if adjacency[u][v] and not visited[v]:
                stack.append(v)
    return order


def visit(adjacency, v, seen):
    seen[v] = True
    for w in range(len(adjacency)):
        if adjacency[v][w] and not seen[w]:
            visit(adjacency, w, seen)


def components(adjacency):
    seen = [False] * len(adjacency)
    count = 0
    for v in range(len(adjacency)):
        if not seen[v]:
            count += 1
            visit(adjacency, v, seen)
    return count


def dijkstra(weights, source):
    n = len(weights)
    dist = [INFINITY] * n
    dist[source] = 0.0
    done = [False] * n
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u == -1 or dist[v] < dist[u]):
                u = v
        done[u] = True
        for v in range(n):
            if weights[u][v] > 0 and dist[u] + weights[u][v] < dist[v]:
                dist[v] = dist[u] + weights[u][v]
    return dist


def floyd_warshall(weights):
    n = len(weights)
    dist = [row[:] for row in weights]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if dist[i][k] + dist[k][j] < dist[i][j]:
                    dist[i][j] = dist[i][k] + dist[k][j]
    return dist


def prim(weights):
    """The weight of a smallest spanning tree."""
    n = len(weights)
    selected = [False] * n
    selected[0] = True
    total = 0.0
    for _ in range(n - 1):
        best = INFINITY
        chosen = -1
        for i in range(n):
            if selected[i]:
                for j in range(n):
                    if not selected[j] and 0 < weights[i][j] < best:
                        best = weights[i][j]
                        chosen = j
        if chosen == -1:
            raise ValueError("graph is not connected")
        selected[chosen] = True
        total += best
    return total


def is_bipartite(adjacency):
    n = len(adjacency)
    color = [-1] * n
    for start in range(n):
        if color[start] != -1:
            continue
        color[start] = 0
        queue = [start]
        while queue:
            u = queue.pop(0)
            for v in range(n):
                if adjacency[u][v] == 1:
                    if color[v] == -1:
                        color[v] = 1 - color[u]
                        queue.append(v)
                    elif color[v] == color[u]:
                        return False
    return True


def find(parent, x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


def has_cycle(adjacency):
    """Union and find."""
    n = len(adjacency)
    parent = list(range(n))
    for i in range(n):
        for j in range(i + 1, n):
            if adjacency[i][j]:
                a, b = find(parent, i), find(parent, j)
                if a == b:
                    return True
                parent[a] = b
    return False


def transitive_closure(reach):
    n = len(reach)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                reach[i][j] = reach[i][j] or (reach[i][k] and reach[k][j])
    return reach


def topological_order(adjacency):
    n = len(adjacency)
    indegree = [sum(adjacency[i][j] for i in range(n)) for j in range(n)]
    ready = [v for v in range(n) if indegree[v] == 0]
    order = []
    while ready:
        u = ready.pop(0)
        order.append(u)
        for v in range(n):
            if adjacency[u][v]:
                indegree[v] -= 1
                if indegree[v] == 0:
                    ready.append(v)
    if len(order) != n:
        raise ValueError("graph has a cycle")
    return order


def triangles(adjacency):
    n = len(adjacency)
    return sum(
        adjacency[i][j] * adjacency[j][k] * adjacency[k][i]
        for i in range(n)
        for j in range(i + 1, n)
        for k in range(j + 1, n)
    )


UNDIRECTED = [
    [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]],
    [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]],
    [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]],
    [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]],
]
DIRECTED = [
    [[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]],
    [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]],
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0]],
    [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
]
WEIGHTS = [
    [[0.0, 4.0, 1.0, 0.0], [4.0, 0.0, 2.0, 5.0], [1.0, 2.0, 0.0, 8.0], [0.0, 5.0, 8.0, 0.0]],
    [[0.0, 1.5, 0.0, 0.0], [1.5, 0.0, 2.5, 0.0], [0.0, 2.5, 0.0, 3.5], [0.0, 0.0, 3.5, 0.0]],
    [[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]],
    [[0.0, 9.0, 9.0, 9.0], [9.0, 0.0, 1.0, 1.0], [9.0, 1.0, 0.0, 1.0], [9.0, 1.0, 1.0, 0.0]],
    [[0.0, 2.0, 2.0, 2.0], [2.0, 0.0, 2.0, 2.0], [2.0, 2.0, 0.0, 2.0], [2.0, 2.0, 2.0, 0.0]],
    [[0.0, 7.0, 3.0, 0.0], [7.0, 0.0, 1.0, 2.0], [3.0, 1.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]],
]

CASES = [
    (degree_of, [(graph, i - 1) for i, graph in enumerate(UNDIRECTED)]),
    (count_edges, [(graph,) for graph in UNDIRECTED]),
    (breadth_first, [(graph, i % 4) for i, graph in enumerate(UNDIRECTED)]),
    (depth_first_order, [(graph, i % 4) for i, graph in enumerate(UNDIRECTED)]),
    (components, [(graph,) for graph in UNDIRECTED]),
    (dijkstra, [(graph, i % 4) for i, graph in enumerate(WEIGHTS)]),
    (floyd_warshall, [(graph,) for graph in WEIGHTS]),
    (prim, [(graph,) for graph in WEIGHTS]),
    (is_bipartite, [(graph,) for graph in UNDIRECTED]),
    (has_cycle, [(graph,) for graph in UNDIRECTED]),
    (transitive_closure, [(graph,) for graph in DIRECTED]),
    (topological_order, [(graph,) for graph in DIRECTED]),
    (triangles, [(graph,) for graph in UNDIRECTED]),
]
