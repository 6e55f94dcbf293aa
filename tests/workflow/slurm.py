"""A Slurm for tests: its daemons as child processes on loopback, all their files in one folder; and
what goes wrong on a cluster.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun")
# where Slurm's programs look; its jobs do not inherit SLURM_CONF from Snakemake
CONFIGURED = Path("/etc/slurm/slurm.conf")
CONFIG = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={sockets}/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort={ports[0]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={sockets}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdTimeout=6
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=5,sched_min_interval=100000
MinJobAge=3600
EnforcePartLimits=ALL
PropagateResourceLimits=NONE
SlurmdParameters=config_overrides
PartitionName=test Nodes=ALL Default=YES MaxTime=UNLIMITED State=UP
"""
# a node claims more than it may have, as a cluster's does: what counts is what is asked for
# This Slurm keeps no accounts. On a cluster they can be asked while the controller is down
ACCOUNTS = """\
#!/bin/sh
for last; do :; done
until squeue --states=all --noheader --format='%A|%T' --name="$last"; do sleep 1; done
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} "
    "RealMemory=32000"
)


class CannotStart(Exception):
    """Why this machine has no Slurm for the test."""


def free_ports(n: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def said(*command: str) -> str:
    """What a command printed; nothing where it hangs."""
    how = {"capture_output": True, "text": True, "check": False, "timeout": 30}
    try:
        return subprocess.run(command, **how).stdout.strip()
    except subprocess.TimeoutExpired:
        return ""


def wait_until(reached: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def check() -> None:
    """Raise CannotStart where a Slurm cannot be started, or must not be because there is one."""
    if os.geteuid() != 0:
        raise CannotStart("only root can start a Slurm")
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        lacking = ", ".join(missing)
        raise CannotStart(f"not installed: {lacking} (on Debian, .ci/slurm installs them)")
    if CONFIGURED.is_symlink() and not said("scontrol", "ping").count(" UP"):
        CONFIGURED.unlink()  # of a test that was killed
    if os.path.lexists(CONFIGURED) or "SLURM_CONF" in os.environ:
        raise CannotStart(f"this machine has a Slurm: {os.getenv('SLURM_CONF', CONFIGURED)}")


class Slurm:
    """A running Slurm, and what may befall it."""

    def __init__(self, start: Callable[..., None], daemons: dict[str, subprocess.Popen]):
        self._start, self._daemons = start, daemons

    def lose(self, node: str) -> None:
        """The node dies with all that runs on it."""
        steps = tuple(f"slurmstepd: [{job}." for job in self.running_on(node))
        dead = [psutil.Process(self._daemons[f"slurmd.{node}"].pid)]
        for process in psutil.process_iter():
            with suppress(psutil.NoSuchProcess):
                if " ".join(process.cmdline()).startswith(steps):
                    dead += [process, *process.children(recursive=True)]
        for process in dead:
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def end(self, job: str) -> None:
        """Its time is up."""
        said("scontrol", "update", f"JobId={job}", "EndTime=now+1second")

    def running_on(self, node: str, memory: str = "") -> list[str]:
        """The numbers of the jobs that run there (with that memory), the youngest first."""
        asked = ("squeue", "--noheader", "--states=running", "--sort=-S", "--format=%i %m")
        jobs = [line.split() for line in said(*asked, f"--nodelist={node}").splitlines()]
        return [job for job, has in jobs if memory in ("", has)]

    def restart_the_controller(self) -> None:
        """It goes on from the state that it saved."""
        stop(self._daemons["slurmctld"])
        self._start("slurmctld", "-D")


@contextmanager
def slurm_of(nodes: int, folder: Path):
    """A `Slurm` of nodes node1, node2, ... in one partition; raises CannotStart with the reason."""
    check()
    host, ports = socket.gethostname().split(".")[0], free_ports(1 + nodes)
    names = [f"node{k}" for k in range(1, nodes + 1)]
    lines = [
        NODE.format(name=name, host=host, port=port, cpus=16 if nodes == 1 else 2)
        for name, port in zip(names, ports[1:], strict=True)
    ]
    with ExitStack() as stack:
        # the path of a socket has at most 107 characters, fewer than that of a test's folder
        sockets = Path(stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
        text = CONFIG.format(host=host, folder=folder, sockets=sockets, ports=ports)
        text = text.replace("PartitionName", "\n".join([*lines, "PartitionName"]))
        config, key = folder / "slurm.conf", folder / "munge.key"
        munge = f"--socket={sockets}/munge"
        for new in (folder / "state", *(sockets / name for name in names)):
            new.mkdir(parents=True)
        config.write_text(text, encoding="utf-8")
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        daemons: dict[str, subprocess.Popen] = {}

        def start(name: str, *arguments: str) -> None:
            """In the foreground, where Ctrl-C does not reach it: it is stopped by its pid."""
            with (folder / f"{name}.log").open("a") as log:
                command = [name.partition(".")[0], *arguments]
                files = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
                daemons[name] = subprocess.Popen(command, **files, start_new_session=True)
            stack.callback(stop, daemons[name])

        def wait_for(*command: str, answer: str) -> None:
            """Until the daemons started so far do what they are for."""

            def ended() -> bool:
                return any(process.poll() is not None for process in daemons.values())

            if not wait_until(lambda: ended() or answer in said(*command), 30) or ended():
                logs = {name: (folder / f"{name}.log").read_text() for name in daemons}
                last = {name: log.splitlines()[-3:] for name, log in logs.items()}
                raise CannotStart(f"{command[0]} gets no answer; last words of the daemons: {last}")

        try:
            CONFIGURED.symlink_to(config)
        except OSError as error:
            raise CannotStart(str(error)) from error
        stack.callback(CONFIGURED.unlink)
        files = [f"--key-file={key}", f"--seed-file={folder}/munge.seed"]
        files.append(f"--pid-file={folder}/munged.pid")
        start("munged", "--foreground", "--force", munge, *files)
        wait_for("munge", munge, "--no-input", answer="MUNGE")
        start("slurmctld", "-D", "-c")
        for name in names:
            start(f"slurmd.{name}", "-D", "-N", name)
        for name in names:
            job = ("--ntasks=1", "--time=1", f"--nodelist={name}", "echo", "a job ran")
            wait_for("srun", *job, answer="a job ran")
        stack.callback(cancel_all)
        yield Slurm(start, daemons)


def cancel_all() -> None:
    """No job outlives the node's daemon."""
    said("scancel", "--user=root")
    wait_until(lambda: not said("squeue", "--noheader"), 60)


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
