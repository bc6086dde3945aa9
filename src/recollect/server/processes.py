"""Several processes that serve the same socket: one that dies is started again, and all end together."""

from __future__ import annotations

import logging
import multiprocessing
import signal
import socket
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess

from recollect.observe.logs import say
from recollect.worker import orders_to_stop

#: Seconds between two looks at the processes; one that dies at once is not started more often than this.
LOOK_AGAIN = 0.5

#: Given the number of the process, and the socket.
Run = Callable[[int, list[socket.socket]], None]


def run_all(count: int, run: Run, listening: socket.socket) -> None:
    """Keep so many processes running until this one is told to stop."""
    spawn = multiprocessing.get_context("spawn")
    stop = threading.Event()

    def told(_number: int, _frame: object) -> None:
        stop.set()

    for name in orders_to_stop():
        signal.signal(name, told)

    def start(number: int) -> BaseProcess:
        process = spawn.Process(target=run, args=(number, [listening]))
        process.start()
        return process

    processes = [start(number) for number in range(count)]
    while not stop.wait(LOOK_AGAIN):
        for number, process in enumerate(processes):
            if not process.is_alive():
                say(logging.WARNING, "server.restarted", number=number, code=process.exitcode)
                processes[number] = start(number)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()
