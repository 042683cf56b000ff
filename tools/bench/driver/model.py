"""comex_bench --model: memory and messages for jobs that nobody can run here.

The bytes come from comex_bench_model, which knows the runtime's structs; the messages from how its collectives are
built (op/group_collective: dissemination, Bruck; a host's workers meet in shared memory, one of them speaks).
The goals hold for one process and one host; what grows with use is judged together with what always stands."""
import json
import math
import os
import subprocess

from table import bytes_text

RANKS_PER_HOST = 64
SIZES = (1_000, 10_000, 100_000, 1_048_576)  # the last: of the goals, on 16,384 hosts
MOST_PRIVATE = 1_000_000
MOST_SHARED = 64_000_000
PRIVATE = ("1 MB", lambda job: MOST_PRIVATE)
SHARED = ("64 MB", lambda job: MOST_SHARED)


def jobs():
    for ranks in SIZES:
        hosts = -(-ranks // RANKS_PER_HOST)
        yield {"ranks": ranks, "hosts": hosts, "workers": ranks - hosts, "local": RANKS_PER_HOST}


def size_of(table, job):
    each, fixed = next(((each, fixed) for most, each, fixed in table["steps"] if job["ranks"] <= most), (0, 0))
    return ((table["per_rank"] + each) * job["ranks"] + table["per_worker"] * job["workers"] +
            table["per_host"] * job["hosts"] + table["per_local_rank"] * job["local"] + table["fixed"] + fixed +
            table["per_doubling"] * log2_up(job["workers"]))


def log2_up(n):
    return (n - 1).bit_length()


def gathered(members, block, sizes):
    """(steps, messages, bytes) that one member sends in Bruck's gather: long control messages travel in windows, each answered
    but the last, and windows in pieces."""
    steps = count = 0
    have = 1
    while have < members:
        piece = min(have, members - have) * block
        count += -(-piece // (sizes["message"] - sizes["control"])) + -(-piece // sizes["window"]) - 1
        steps += 1
        have *= 2
    return steps, count, (members - 1) * block + count * sizes["control"]


def together(*parts):
    return tuple(map(sum, zip(*parts)))


def calls(job, sizes):
    """(call, by whom, (steps, messages, bytes)) for one call over the world."""
    hosts, ranks = job["hosts"], job["ranks"]
    gathers = 4  # how many ranks each host has, which, the hosts' rows, the node ranks
    init = sizes["minima"] * log2_up(ranks)
    splits = sizes["splits"] * log2_up(ranks)
    others = hosts - 1
    fence = (2, 2 * others, (sizes["request"] + sizes["reply"]) * others)
    meeting = (log2_up(hosts), log2_up(hosts), sizes["control"] * log2_up(hosts))
    gather = gathered(job["workers"], sizes["address"], sizes)

    def merged(block):  # up a tree and down again: its root sends most
        return (2 * log2_up(hosts), log2_up(hosts), (sizes["control"] + block) * log2_up(hosts))
    verdict = merged(sizes["verdict"])
    one, leader = "by a worker", "by a host's first worker"
    return [
        (f"init: {sizes['minima']} minima, if MPI's double", "by a rank", (init, init, sizes["maximum"] * init)),
        ("init: ranks, hosts, node ranks, all-gathers of hosts", "by a host's first rank",
         (gathers * log2_up(hosts), gathers * log2_up(hosts),
          (sizes["rank"] + sizes["node_rank"]) * ranks + (sizes["maximum"] + sizes["host_row"]) * hosts)),
        (f"init: {sizes['splits']} splits, if MPI's gathers double", "by a rank",
         (splits, splits, sizes["splits"] * sizes["split"] * (ranks - 1))),
        ("fence_all, nothing written", one, (0, 0, 0)),
        ("fence_all, every host written to", one + ", with the answers", fence),
        ("barrier, nothing unfenced: the meeting", leader, meeting),
        ("barrier, every host written to: fence, meeting", leader, together(fence, meeting)),
        ("malloc: verdict, gather of addresses", leader, together(verdict, gather)),
        ("free, nothing unfenced: verdict, meeting", leader, together(verdict, meeting)),
        ("free, every host written to: fence, verdict, meeting", leader, together(fence, verdict, meeting)),
        ("create_mutexes, nothing unfenced: a maximum", leader, merged(sizes["maximum"])),
    ]


def operation_lines(sizes):
    ask, answer = f"{sizes['request']} B", f"{sizes['reply']} B"
    chunk = f"{sizes['chunk'] // 1024} KiB"
    rows = [
        ("put, acc or store, small", f"1: {ask} and the data; no answer of its own"),
        ("get or rmw, small", f"2: {ask}, then {answer} and the data"),
        ("small non-blocking ones, collected",
         f"1 of up to {sizes['message']:,} B to each server: {ask}, and for each"),
        ("", f"of them {sizes['item']} B and its data, {sizes['repeated']} B if it is like the one before;"),
        ("", f"1 answer to all of them if there are gets or rmws: {answer} and their data;"),
        ("", "up to five such messages in a row, and their answers, are one of MPI's between machines"),
        ("put or acc, large", f"1: {ask}, then a body in chunks of {chunk}, just above MPI's eager limit in up to"),
        ("", "four messages that MPI sends at once; accumulates and what is scattered at its target in pieces,"),
        ("", f"down to {sizes['piece'] // 1024} KiB in large jobs; a short one and its request are one of MPI's between machines"),
        ("get, large", f"1: {ask}, then such a body from the server"),
        ("fence of a server, lock", f"2: {ask}, {answer}"),
        ("unlock", f"1: {ask}; no answer of its own"),
    ]
    return ["messages of an operation on another host, whatever the size of the job"] + [
        f"  {operation:<38}{what}" for operation, what in rows]


def message_lines(sizes):
    lines = ["one call over the world: steps, messages, bytes sent", " " * 4 + "".join(f"{n:>24,}" for n in SIZES)]
    per_job = [calls(job, sizes) for job in jobs()]
    for number, (call, who, _) in enumerate(per_job[0]):
        cells = [each[number][2] for each in per_job]
        lines += [f"  {call}, {who}",
                  " " * 4 + "".join(f"{f'{s:,}, {m:,}, {bytes_text(b)}':>24}" for s, m, b in cells)]
    return lines + [
        "  On one host barrier, malloc, free and create_mutexes send no messages: its workers meet in shared memory.",
        "  Broadcasts and barriers of init, and what goes round within a machine, are not among it. All ranks gather places",
        "  and masks of processors under COMEX_VERBOSE, 1 B where workers without a progress rank have no thread, 8 B where",
        "  settings are unknown.",
        ""] + operation_lines(sizes)


def rows_of(tables, place, when):
    """What a host's lowest rank holds is there once a host, as what is shared."""
    places = ("shared", "lowest") if place == "shared" else (place,)
    return [t for t in tables if t["place"] in places and t["when"] in when]


def total(tables, job):
    return sum(size_of(table, job) for table in tables)


def verdict(used, goal):
    if used <= goal:
        return "kept"
    return f"{used / goal:,.1f} x" if used < 10 * goal else f"{used / goal:,.0f} x"


def row(text, cells):
    return f"  {text:<50}" + "".join(f"{cell:>13}" for cell in cells)


def section(title, tables, *goals, standing=()):
    """The tables and their sum; a goal is (text, bytes of a job), kept or not together with what is `standing`."""
    if not tables:
        return []
    all_jobs = list(jobs())
    lines = [f"{title:<52}" + "".join(f"{job['ranks']:>13,}" for job in all_jobs)]
    lines += [row(table["name"], [bytes_text(size_of(table, job)) for job in all_jobs]) for table in tables]
    lines.append(row("together", [bytes_text(total(tables, job)) for job in all_jobs]))
    for text, limit in goals:
        verdicts = [verdict(total(tables, job) + total(standing, job), limit(job)) for job in all_jobs]
        lines.append(row(f"goal: {text}" + (", with what stands besides" if standing else ""), verdicts))
    return lines + [""]


BEFORE_ARENA = "roles"
GROWING = ((BEFORE_ARENA, "while init splits, no arena yet"),
           ("init", "while init runs"),
           ("gather", "while malloc or free over the world runs"),
           ("claims", "while a free by another's address runs"),
           ("allocation", "for each allocation over the world"),
           ("group", "for each irregular group of all workers"),
           ("groups", "with all regular groups there can be"),
           ("mutexes", "with mutexes, one of every worker"),
           ("handles", "with all handles that may be pending"),
           ("slots", "with all handles there can be, in a long run"),
           ("traffic", "after traffic with everybody, nothing left"),
           ("open", "while something is under way to everybody"),
           ("full", "while as much is under way as may be"))


def server_goal(job, sizes):
    return 4096 * job["ranks"] + sizes["pool"]


def step_lines(sizes):
    """Which calls cost all ranks together O(P^2) bytes."""
    small, large = list(jobs())[-2:]
    linear = large["ranks"] / small["ranks"]
    lines = ["no O(P^2) step, one call at that size: steps, bytes that one sends in them"]
    for (_, _, (_, _, before)), (call, _, (steps, _, sent)) in zip(calls(small, sizes), calls(large, sizes)):
        kept = sent <= before * linear / 2
        lines.append(f"  {call:<54}{steps:>5}{bytes_text(sent):>10}  "
                     f"{'kept' if kept else 'not kept: O(P), O(P^2) by all'}")
    return lines + [
        "  Nowhere are there more than O(log P) steps. A gather tells everybody about everybody: in its last step alone",
        "  each sends half of these bytes: malloc's, since its caller wants the address of everybody. Calls that make",
        "  groups out of the world gather likewise, and a free by another's address than the own; so does MPI to split",
        "  a communicator of all ranks, two words of each. A fence sends one request to each server that was written to:",
        "  O(P) if that was every host.", ""]


def server_line(text, tables, sizes):
    """For the largest job, and for the one that is worst off."""
    def of(job):
        return verdict(total(tables, job), server_goal(job, sizes))

    largest = list(jobs())[-1]
    worst = max(jobs(), key=lambda job: total(tables, job) / server_goal(job, sizes))
    besides = f"; {of(worst)} at {worst['ranks']:,} ranks" if of(worst) != of(largest) else ""
    return f"  {text}: {bytes_text(total(tables, largest))}, {of(largest)}{besides}"


def summary(tables, sizes):
    """What of the goals holds in which case, for the largest job."""
    job = list(jobs())[-1]
    always = rows_of(tables, "private", ("always",))
    shared = rows_of(tables, "shared", ("always",))
    lines = [f"goals at {job['ranks']:,} ranks on {job['hosts']:,} hosts: {PRIVATE[0]} private to a process, "
             f"{SHARED[0]} shared by a host",
             f"  what stands always: private {verdict(total(always, job), MOST_PRIVATE)}, "
             f"shared {verdict(total(shared, job), MOST_SHARED)}"]
    for place, standing, most in (("private", always, MOST_PRIVATE), ("shared", shared, MOST_SHARED)):
        for when, text in GROWING:
            grown = rows_of(tables, place, (when,))
            if grown:
                besides = [] if when == BEFORE_ARENA else standing
                lines.append(f"  {place}, and {text}: {verdict(total(besides + grown, job), most)}")
    for when, text in GROWING:
        grown = rows_of(tables, "lowest", (when,))
        if grown:
            grown += rows_of(tables, "private", (when,)) + ([] if when == BEFORE_ARENA else always)
            lines.append(f"  private to the lowest rank of each host, {text}: {verdict(total(grown, job), MOST_PRIVATE)}")
    lines += [f"goal of a server: P x 4 KiB + pool, {bytes_text(server_goal(job, sizes))}",
              server_line("if all talk to it", rows_of(tables, "server", ("traffic",)), sizes),
              server_line("if all send bodies that it has to stage", rows_of(tables, "server", ("traffic", "staging")),
                          sizes)]
    return lines + ["(63 x: so many times the goal)", ""] + step_lines(sizes)


def unknown(tables):
    """Those that no section would show."""
    shown = {("private", "always"), ("shared", "always"), ("server", "traffic"), ("server", "staging")}
    shown |= {(place, when) for place in ("private", "shared", "lowest") for when, _ in GROWING}
    return [table["name"] for table in tables if (table["place"], table["when"]) not in shown]


def report(tables, sizes):
    lines = [f"Hosts of {RANKS_PER_HOST} ranks, one of them a progress rank. Bytes from the structs of this build,",
             "those of MPI not among them.", ""]
    if unknown(tables):
        raise ValueError("no section shows " + ", ".join(unknown(tables)))
    lines += summary(tables, sizes)
    server = ("P x 4 KiB + pool", lambda job: server_goal(job, sizes))
    for place, title, goal in (("private", "private", PRIVATE), ("shared", "shared by a host", SHARED)):
        always = rows_of(tables, place, ("always",))
        lines += section(f"{title}, always", always, goal)
        for when, text in GROWING:
            lines += section(f"{title}, {text}", rows_of(tables, place, (when,)), goal,
                             standing=[] if when == BEFORE_ARENA else always)
    served = rows_of(tables, "server", ("traffic",))
    lines += section("a server, at most, if all talk to it", served, server)
    staged = rows_of(tables, "server", ("staging",))
    reserved = ("that and the reserve", lambda job: server[1](job) + sizes["reserve"])
    lines += section("a server, if all send bodies that it has to stage", staged, server, reserved, standing=served)
    return "\n".join(lines + message_lines(sizes))


def show(bin_directory):
    said = subprocess.run([os.path.join(bin_directory, "comex_bench_model")], capture_output=True, text=True, check=True)
    said = json.loads(said.stdout)
    print(report(said["tables"], said["sizes"]))
    return 0
