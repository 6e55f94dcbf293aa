"""A Slurm of one node for tests: its daemons as child processes on loopback, all their files in one
folder.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

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
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=16 RealMemory=32000
PartitionName=test Nodes=ALL Default=YES MaxTime=UNLIMITED State=UP
"""


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


def skip_where_none_can_start() -> None:
    """Where a Slurm cannot be started, or must not be because there is one."""
    if os.geteuid() != 0:
        pytest.skip("only root can start a Slurm")
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        pytest.skip(f"not installed: {', '.join(missing)} (on Debian, .ci/slurm installs them)")
    if CONFIGURED.is_symlink() and not said("scontrol", "ping").count(" UP"):
        CONFIGURED.unlink()  # of a test that was killed
    if os.path.lexists(CONFIGURED) or "SLURM_CONF" in os.environ:
        pytest.skip(f"this machine has a Slurm: {os.getenv('SLURM_CONF', CONFIGURED)}")


@contextmanager
def slurm_in(folder: Path):
    """A Slurm of one node in one partition; the test is skipped where none can be started."""
    skip_where_none_can_start()
    host, ports = socket.gethostname().split(".")[0], free_ports(2)
    with ExitStack() as stack:
        # the path of a socket has at most 107 characters, fewer than that of a test's folder
        sockets = Path(stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
        text = CONFIG.format(host=host, folder=folder, sockets=sockets, ports=ports)
        config, key = folder / "slurm.conf", folder / "munge.key"
        munge = f"--socket={sockets}/munge"
        for new in (folder / "state", sockets / "node1"):
            new.mkdir(parents=True)
        config.write_text(text, encoding="utf-8")
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        daemons: dict[str, subprocess.Popen] = {}

        def start(name: str, *arguments: str) -> None:
            """In the foreground, where Ctrl-C does not reach it: it is stopped by its pid."""
            with (folder / f"{name}.log").open("a") as log:
                command = [name, *arguments]
                files = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
                daemons[name] = subprocess.Popen(command, **files, start_new_session=True)
            stack.callback(stop, daemons[name])

        def wait_for(*command: str, answer: str) -> None:
            """Until the daemons started so far do what they are for."""

            def ended() -> bool:
                return any(process.poll() is not None for process in daemons.values())

            if not wait_until(lambda: ended() or answer in said(*command), 30) or ended():
                last = [(folder / f"{name}.log").read_text()[-300:] for name in daemons]
                pytest.skip(f"{command[0]} gets no answer; last words of the daemons: {last}")

        CONFIGURED.symlink_to(config)
        stack.callback(CONFIGURED.unlink)
        files = [f"--key-file={key}", f"--seed-file={folder}/munge.seed"]
        files.append(f"--pid-file={folder}/munged.pid")
        start("munged", "--foreground", "--force", munge, *files)
        wait_for("munge", munge, "--no-input", answer="MUNGE")
        start("slurmctld", "-D", "-c")
        start("slurmd", "-D", "-N", "node1")
        wait_for("srun", "--ntasks=1", "--time=1", "echo", "a job ran", answer="a job ran")
        stack.callback(cancel_all)
        yield


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
