#!/usr/bin/env python3
"""top_why_test.py COMEX_TOP HANG LAUNCH KIND...: jobs that hang in these ways (all, if none is named): comex_top --why has
to name the culprit. top_why_test.py --stall COMEX_TOP HANG LAUNCH KIND...: the stalled waits themselves have to name it, in
one line a job. They do nothing for most of the time, and so AT_ONCE of them hang at a time."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent import futures

import jobs

OF_STALLS = sys.argv[1] == "--stall"
TOP, HANG, LAUNCH, *KINDS = sys.argv[2 if OF_STALLS else 1:]
AT_ONCE = 3
STARTING = threading.Lock()  # one at a time, so that a job that appears is known
TWO = {"COMEX_VIRTUAL_HOSTS": "2"}
GO_ON = {"COMEX_ON_FAILURE": "continue"}
# kind -> (ranks, environment, what the verdict has to say). Ranks of one host: workers 0 to 3 and rank 4; of two virtual
# hosts: workers 0 and 1, progress rank 2, workers 2 and 3, progress rank 5.
EXPECTED = {
    "computes": (5, {}, r"^worker 1 \(.*has not entered barrier: it computes, in no call that waits; workers 0, 2, 3 wait"),
    "sleeps": (5, {}, r"^worker 1 \(.*has not entered barrier: it sleeps or waits in no call"),
    "stopped": (5, {}, r"^worker 1 \(.*is stopped \(SIGSTOP\); workers 0, 2, 3 wait"),
    "own_mpi": (5, {}, r"^worker 1 \(.*has not entered barrier: it (computes|sleeps or waits)[ ,]+in no call"),
    "word": (5, {}, r"^worker 1 \(.*has not entered barrier: it is in wait_until"),
    "other_call": (5, {}, r"^workers 0, 2, 3 in barrier, worker 1 in create_mutexes: .* different collective calls"),
    "two_locks": (5, {}, r"^workers 0, 1 wait for each other's mutex"),
    "four_locks": (5, {}, r"^workers 0, 1, 2, 3 wait for each other's mutexes, in a circle"),
    "locks_of_threads": (5, {}, r"^workers 0, 1 wait for each other's mutex"),
    "locks_of_threads_far": (6, TWO, r"^workers 0, 1 wait for each other's mutex"),
    "holder_computes": (5, {}, r"^worker 1 holds mutex 0 of worker 0 and does not unlock it; it runs; worker \d waits"),
    "holder_stopped": (5, {}, r"^worker 1 \(.*is stopped \(SIGSTOP\); workers 0, 2, 3 wait"),
    "holder_in_barrier": (5, {}, r"^worker 1 holds mutex 0 of worker 0 and does not unlock it; it is in barrier"),
    "holder_computes_others_try": (5, {}, r"^worker 1 holds mutex 0 of worker [01] and does not unlock it; it runs; worker 3 waits"),
    "holder_computes_others_try_far": (6, TWO, r"^worker 1 holds mutex 0 of worker [01] and does not unlock it; it runs; worker 3 waits"),
    "part": (5, {}, r"^worker 2 \(.*has not entered barrier of group \d+: it sleeps.*; worker 0 wait"),
    "two_of_all": (5, {}, r"^worker 1 \(.*has not entered barrier of group \d+: it sleeps.*; neither has worker 2; workers 0, 3 wait"),
    "two_of_all_far": (6, TWO, r"^worker 1 \(.*has not entered barrier of group \d+: it sleeps.*; neither has worker 2; workers 0, 3 wait"),
    "locks_twice": (5, {}, r"^worker 1 \(.*waits for a mutex that it holds itself, mutex 0 of worker 2"),
    "computes_far": (6, TWO, r"^worker 1 \(.*has not entered barrier: it computes"),
    "two_locks_far": (6, TWO, r"^workers 0, 1 wait for each other's mutex"),
    "four_locks_far": (6, TWO, r"^workers 0, 1, 2, 3 wait for each other's mutexes, in a circle"),
    "holder_computes_far": (6, TWO, r"^worker 1 holds mutex 0 of worker 0 and does not unlock it; it runs"),
    "part_far": (6, TWO, r"^worker 2 \(.*has not entered barrier of group \d+: it sleeps"),
    "server_get": (6, TWO, r"^progress rank 5 \(.*is stopped \(SIGSTOP\), so nobody serves host 1; worker 0 wait"),
    "server_lock": (6, TWO, r"^progress rank 5 \(.*is stopped"),
    "server_fence": (6, TWO, r"^progress rank 5 \(.*is stopped"),
    "server_credits": (6, TWO, r"^progress rank 5 \(.*is stopped"),
    "server_busy_get": (6, TWO, r"^worker 0 is in get for .*s and waits for rank 5 \(process \d+\), which is busy: it runs and does not answer"),
    "server_busy_test": (6, TWO, r"^worker 0 is in a loop of test for .*s and waits for rank 5 \(process \d+\), which is busy: it runs and does not answer"),
    "leaves": (5, {}, r"^worker 1 \(.*is gone: it ended without comex_finalize; workers 0, 2, 3 wait"),
    "leaves_far": (6, TWO, r"^worker 1 \(.*is gone: it ended without comex_finalize; workers 0, 2, 3 wait"),
    "after_death": (5, GO_ON, r"^worker 1 \(.*has not entered barrier of group \d+: it sleeps.*; neither has worker 2; worker 0 waits"),
    "after_death_far": (6, {**TWO, **GO_ON}, r"^worker 1 \(.*has not entered barrier of group \d+: it sleeps.*; neither has worker 2; worker 0 waits"),
    "after_loss_far": (6, {**TWO, **GO_ON, "COMEX_TIMEOUT_S": "4"}, r"^worker 1 \(.*has not entered barrier of group \d+: it sleeps.*; worker 0 waits for it"),
    "body_far": (6, TWO, r"^worker 0 \(.*has not entered barrier: it computes, in no call that waits; workers 1, 2, 3 wait"),
    "server_handle": (6, TWO, r"^progress rank 5 \(.*is stopped"),
    "target_computes": (4, {"COMEX_VIRTUAL_HOSTS": "0,1,0,0", "GA_NUM_PROGRESS_RANKS_PER_NODE": "0"},
                        r"waits for rank 1, a worker that serves itself and makes no call"),
}
# What --why shows besides.
SHOWN = {"body_far": r"^progress rank 5 .*, 1 requests in its queues\n  put of 67108864 bytes from worker 0 to worker 2, \d+\.\d s old: "
                     r"its body has not come\n"}


def top(*options):
    return subprocess.run([TOP, *options], capture_output=True, text=True, timeout=30, check=False).stdout


def ranks_of(job):
    said = top("--job", job, "--json", "--interval", "0")
    return json.loads(said)["ranks"] if said else []


def text_of(log):
    with open(log.name, encoding="utf-8", errors="replace") as file:
        return file.read()


def disturb_last_host(kind, job, log, launch):
    """Once all workers have left their last barrier; then worker 0 may go on."""
    while text_of(log).count("has met the others") < 4 and launch.poll() is None:
        time.sleep(0.05)
    last = [rank for rank in ranks_of(job) if rank["host"] == 1]
    if kind.startswith("server_"):
        last = [rank for rank in last if rank["role"] == "progress"]
    for rank in last:
        os.kill(rank["pid"], signal.SIGKILL if "loss" in kind else signal.SIGUSR2 if "busy" in kind else signal.SIGSTOP)
    launch.stdin.write(b"g\n")
    launch.stdin.flush()


def end(job, launch):
    for rank in ranks_of(job):
        try:
            os.kill(rank["pid"], signal.SIGKILL)
        except ProcessLookupError:
            pass  # the launcher was quicker
    launch.wait(timeout=75)  # by its own limit, at last


# What only the progress ranks of other hosts can tell has another verdict there: nobody sees why they are silent.
SILENT = r"^progress rank 5 does not answer: it is stopped, gone or busy, or host 1 cannot be reached; worker 0 wait"


def asked(_log, job):
    return (top("--job", job, "--why", "--interval", "0.3").strip().splitlines() or [""])[-1]


def said(log, _job):
    return "\n".join(line.strip().partition("why nothing goes on: ")[2] for line in text_of(log).splitlines()
                     if "why nothing goes on: " in line)


def is_right(kind):
    ranks, environment, wanted = EXPECTED[kind]
    environment = {**os.environ, **environment}
    verdict_of = asked
    if OF_STALLS:
        environment["COMEX_STALL_S"], verdict_of = "1", said
        wanted = SILENT if kind.startswith("server_") else wanted
    with tempfile.NamedTemporaryFile() as log:
        survivors = ["--go-on"] if kind.startswith(("leaves", "after_")) else []
        words = kind.removesuffix("_far").replace("_busy", "")
        with STARTING:
            before = jobs.names(TOP, HANG)
            launch = subprocess.Popen([LAUNCH, "60", str(ranks), *survivors, HANG, words], env=environment,
                                      stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT)
            job = jobs.await_new(TOP, HANG, before)
        verdict = ""
        try:
            if kind.startswith(("server_", "after_loss")):
                disturb_last_host(kind, job, log, launch)
            for _ in range(50 if OF_STALLS else 20):
                verdict = verdict_of(log, job)
                if re.search(wanted, verdict):
                    break
                time.sleep(0.2)
            else:
                print(f"{kind}: the verdict is: {verdict}\n{top('--job', job, '--why', '--interval', '0.3')}")
                return False
            if not OF_STALLS and not re.search(SHOWN.get(kind, ""), top("--job", job, "--why", "--interval", "0.3"), re.M):
                print(f"{kind}: --why does not show {SHOWN[kind]}:\n{top('--job', job, '--why', '--interval', '0.3')}")
                return False
            if OF_STALLS:  # nobody else says it again
                time.sleep(3)
                verdict = said(log, job)
                if "\n" in verdict:
                    print(f"{kind}: it is said more than once:\n{verdict}")
                    return False
            return True
        finally:
            end(job, launch)


kinds = KINDS or list(EXPECTED)
with futures.ThreadPoolExecutor(AT_ONCE) as several:
    right = sum(several.map(is_right, kinds))
print(f"{right} of {len(kinds)} are right")
sys.exit(0 if right == len(kinds) else 1)
