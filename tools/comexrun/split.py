"""How many ranks each host gets. Pure: workers are dealt evenly over the hosts, and each host adds its progress ranks."""
from dataclasses import dataclass

from hosts import Host
from refused import Refused


@dataclass(frozen=True)
class Share:
    host: Host
    workers: int
    ranks: int


def dealt(workers, limits):
    """Workers for each host, as even as its limits (None: without) allow, more for the first ones; None: they do not fit."""
    counts, left = [0] * len(limits), workers
    while left:
        open_hosts = [i for i, limit in enumerate(limits) if limit is None or counts[i] < limit]
        if not open_hosts:
            return None
        each = max(1, left // len(open_hosts))
        for i in open_hosts:
            more = min(each, left, left if limits[i] is None else limits[i] - counts[i])
            counts[i] += more
            left -= more
    return counts


def counted(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def split(workers, hosts, progress_ranks, virtual_hosts=1, oversubscribe=False):
    """The shares of the hosts that get workers. progress_ranks: of each virtual host. Progress ranks have slots of their own
    where there are enough for all; else the workers have them, and progress ranks share their cores."""
    servers = progress_ranks * virtual_hosts
    used = hosts[:workers]
    slots = [host.slots for host in used]
    counts = dealt(workers, [None if s is None else max(0, s - servers) for s in slots]) or dealt(workers, slots)
    if counts is None and oversubscribe:
        counts = dealt(workers, [None] * len(used))
    if counts is None:
        raise Refused(f"{counted(workers, 'worker')} do not fit {counted(len(used), 'host')} with "
                      f"{counted(sum(slots), 'slot')}: name more hosts, or give --oversubscribe")
    for host, count in zip(used, counts):
        if 0 < count < virtual_hosts:
            raise Refused(f"--virtual-hosts {virtual_hosts}: host {host.name or 'localhost'} gets {counted(count, 'worker')} "
                          f"only, and each virtual host needs one")
    return [Share(host, count, count + servers) for host, count in zip(used, counts) if count]


def is_oversubscribed(shares):
    return any(share.host.slots is not None and share.ranks > share.host.slots for share in shares)
