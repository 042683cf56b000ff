"""A link to a host of the virtual cluster whose frames come late, or of which some are lost. The host's interface leaves the
bridge, and a thread carries its frames to and from another one that takes its place there. Needs no netem in the kernel."""
import heapq
import itertools
import random
import select
import socket
import subprocess
import threading
import time

SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 263, 15, 23  # of <linux/if_packet.h>, not in Python's socket
LONGEST = 1 << 17  # the kernel hands over frames that it has not cut yet


def wire(interface):
    """Its frames, each with what the kernel has still to do to it: sums and cuts."""
    ends = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    ends.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    ends.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    ends.bind((interface, 0))
    return ends


def carry(wires, delay_s, loss):
    chance, order, waiting = random.Random(1), itertools.count(), []
    other = {wires[0]: wires[1], wires[1]: wires[0]}
    while True:
        until = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for ready in select.select(wires, [], [], until)[0]:
            frame = ready.recv(LONGEST)
            if chance.random() >= loss:
                heapq.heappush(waiting, (time.monotonic() + delay_s, next(order), other[ready], frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, to, frame = heapq.heappop(waiting)
            try:
                to.send(frame)
            except OSError:
                pass  # the other side is down: the frame is lost


def make_bad(host, delay_s=0.0, loss=0.0):
    """From now on, until this process ends."""
    own, inner, outer = f"v{host}", f"in{host}", f"out{host}"
    for command in (f"ip link add {inner} type veth peer name {outer}", f"ip link set {inner} up promisc on",
                    f"ip link set {outer} master bridge up", f"ip link set {own} nomaster", f"ip link set {own} promisc on"):
        subprocess.run(command.split(), check=True)
    threading.Thread(target=carry, args=([wire(own), wire(inner)], delay_s, loss), daemon=True).start()
