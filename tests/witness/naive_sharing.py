# naive_sharing.py: who goes how fast, by progressive filling: everything grows together until something is full.


def drf(draws, num=float):
    """Shares of their speed alone that kernels reach under dominant-resource fairness.

    draws[i] = {resource: the part of it that kernel i takes at its speed alone}. Dominant shares grow equally; a kernel stops
    where one of its resources is full, or at its speed alone."""
    share = [num(0)] * len(draws)
    dominant = [max(d.values(), default=num(0)) for d in draws]
    growing = [i for i in range(len(draws)) if dominant[i] > 0]
    for i in range(len(draws)):
        if dominant[i] <= 0:
            share[i] = num(1)
    while growing:
        level = min(dominant[i] for i in growing)
        full = set()
        for r in {r for i in growing for r in draws[i]}:
            taken = sum(share[i] * draws[i].get(r, 0) for i in range(len(draws)) if i not in growing)
            per_level = sum(draws[i].get(r, 0) / dominant[i] for i in growing)
            if per_level <= 0:
                continue
            at = max(num(0), 1 - taken) / per_level
            if at < level:
                level, full = at, {r}
            elif at == level:
                full.add(r)
        for i in growing:
            share[i] = min(num(1), level / dominant[i])
        growing = [i for i in growing if dominant[i] > level and not any(draws[i].get(r, 0) > 0 for r in full)]
    return share


def max_min(routes, capacity):
    """Max-min fair rates, weight 1, of transfers on channels; `cap` is the rate that fat links allow each."""
    rate = [None] * len(routes)
    growing = list(range(len(routes)))
    while growing:
        level = min(routes[i].cap for i in growing)
        full = set()
        for ch in {ch for i in growing for ch in routes[i].channels}:
            taken = sum(rate[i] for i in range(len(routes)) if i not in growing and ch in routes[i].channels)
            at = (capacity[ch] - taken) / sum(1 for i in growing if ch in routes[i].channels)
            if at < level:
                level, full = at, {ch}
            elif at == level:
                full.add(ch)
        for i in growing:
            rate[i] = level
        growing = [i for i in growing if routes[i].cap > level and not full & set(routes[i].channels)]
    return rate
