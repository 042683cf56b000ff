"""Whether a job goes on without its dead (see faults.py): who has to live, and what they have to say."""
import re

OF_HOSTS = ("host", "fade")  # actions
DEATHS = ("kill", *OF_HOSTS)
OK_LINE = re.compile(r"^survivors: worker (\d+) ok$", re.M)


def ranks_with(layout, rank):
    """The ranks of its host, of which the last one is the progress rank."""
    size = layout.ranks // layout.hosts
    first = rank // size * size
    return range(first, first + size)


def is_progress_rank(layout, rank):
    return rank == ranks_with(layout, rank)[-1]


def worker_of(layout, rank):
    return rank - rank // (layout.ranks // layout.hosts)


def takes_whole_host(point):
    return point.action in OF_HOSTS or point.function == "host"


def rank_at(layout, point):
    """One of the place, which is a rank, or the number of a host of the cluster."""
    return (point.place - 1) * layout.ranks // layout.hosts if point.function == "host" else point.place


def killed_with(layout, point):
    """The ranks that die at the same step."""
    if point.action not in OF_HOSTS:
        return []
    here = ranks_with(layout, point.place)
    return list(here[:-1] if point.action == "fade" else here)


def lost_workers(layout, point):
    """That the point takes from the job, or may take: a host is lost with its progress rank."""
    here = ranks_with(layout, rank_at(layout, point))
    is_whole_host = takes_whole_host(point) or is_progress_rank(layout, point.place)
    return {worker_of(layout, rank) for rank in (here[:-1] if is_whole_host else [point.place])}


def is_death(job, layout, point):
    """Where a call has failed, its process may have gone on, or have ended."""
    if point.action in DEATHS or point.action == "pause":
        return point.action != "pause"
    return not lost_workers(layout, point) & workers_that_left(job.text())


def wanted_workers(job, layout, point):
    lost = {layout.doomed} if layout.doomed is not None else set()
    if job.is_hit() and is_death(job, layout, point):
        lost |= lost_workers(layout, point)
    return set(range(layout.ranks - layout.hosts)) - lost


def workers_that_left(text):
    return {int(worker) for worker in OK_LINE.findall(text)}


def all_have_left(layout, text):
    return layout.hosts is not None and len(workers_that_left(text)) == layout.ranks - layout.hosts


def is_drawn(layout, point):
    """Nothing is promised in init. Where one has died already, only what comes later, and so that somebody is left."""
    if point.phase == "init":
        return False
    if layout.doomed is None:
        return True
    is_with_it = layout.doomed in ranks_with(layout, point.place)
    return point.phase in ("shrink", "recover") and point.place != layout.doomed and not (
        is_with_it and is_progress_rank(layout, point.place))


def ended_in_mpi(text):
    """The workers that ended where MPI made the communicator of a group and waited for the dead."""
    found = re.findall(r"^comex: rank (\d+) on \S+: group_\w+: MPI does not make the communicator of the group, since "
                       r"workers? .* died; the limit is half of COMEX_TIMEOUT_S=\d+$", text, re.M)
    return set(map(int, found))


def is_ended_by_ucx(text):
    """A survivor that was copying from or to the memory of one that died; MPICH's UCX ends it."""
    return re.search(r"cma_ep\.c:\d+ .*: No such process", text) is not None


def have_left(job, layout, point):
    """All survivors have: what waits in MPI_Finalize then for one that died in it is MPI's to mend."""
    return wanted_workers(job, layout, point) <= workers_that_left(job.text()) | ended_in_mpi(job.text())


def lines_due(layout, point):
    """What somebody has to say about it."""
    is_whole_host = takes_whole_host(point)
    if not is_whole_host and not is_progress_rank(layout, point.place):
        return [rf"^comex: worker {worker_of(layout, point.place)} on \S+ has died; the job goes on without it"]
    lines = [] if is_whole_host else [r"^comex: a progress rank on \S+ has died; the workers of its host end"]
    if layout.hosts > 1:
        lines.append(r"^comex: host \d+ \(\S+\) does not answer; its workers and their memory are lost")
    return lines


def are_told_alone(layout, point, text):
    """The workers of the host died before their progress rank, which nobody may miss any more."""
    return point.action == "fade" and all(
        re.search(rf"^comex: worker {worker} on \S+ has died", text, re.M) for worker in lost_workers(layout, point))


def goes_on(job, layout, point):
    """Whether survivors have to, or do: a call that fails may end the whole job as elsewhere."""
    if layout.hosts is None:
        return False
    return point.action in (*DEATHS, "pause") or have_left(job, layout, point)


def judge(job, layout, point):
    """What is wrong with how the job has ended, or nothing."""
    text = job.text()
    if ": wrong: " in text:
        return "wrong data"
    if "comex: bug at" in text:
        return "a fault is told as a bug"
    missing = wanted_workers(job, layout, point) - workers_that_left(text) - ended_in_mpi(text)
    if missing and not is_ended_by_ucx(text):
        return f"workers {sorted(missing)} do not go on"
    # At the end, a progress rank may not be missed any more.
    is_missed = not lost_workers(layout, point) <= workers_that_left(text)
    if job.is_hit() and is_death(job, layout, point) and job.fault_phase != "finalize" and is_missed and not are_told_alone(layout, point, text):
        for line in lines_due(layout, point):
            if not re.search(line, text, re.M):
                return f"nobody says {line}"
    return None
