"""Executes notebooks with nbclient and fails when a cell fails.

    python3 -m venv VENV && VENV/bin/pip install nbclient==0.11.0
    VENV/bin/python kernels/execute.py notebooks/*.ipynb
    VENV/bin/python kernels/execute.py --write notebooks/*.ipynb

--write stores the outputs in the notebooks, with a digest of the code. --check executes
nothing and fails when outputs belong to other code. A notebook that fails stays unchanged.
"""

import argparse
import hashlib
import os
import re
import signal
import sys
import tempfile
import time

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

# GoNB writes these lines to standard error without failing the cell.
FAILED_COMMAND = re.compile(r'(exit status \d+|signal: .+)$|^"%.*" unknown or not impl', re.M)
COLOR = re.compile("\x1b\\[[0-9;]*m")


class CellFailure(Exception):
    pass


def parse_arguments():
    parser = argparse.ArgumentParser(description="Execute notebooks and fail when a cell fails.")
    parser.add_argument("--write", action="store_true", help="store the outputs in the notebooks")
    parser.add_argument("--check", action="store_true", help="only compare outputs and code")
    parser.add_argument("--full", action="store_true", help="run the full size, which takes hours")
    parser.add_argument("--backend", help="compute backend of the cells, such as xla:cpu")
    parser.add_argument("--kernel", help="Jupyter kernel (default: the kernel of the notebook)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds per cell (default 300)")
    parser.add_argument("notebooks", nargs="+")
    arguments = parser.parse_args()
    if arguments.write and arguments.full:
        parser.error("notebooks store the outputs of their quick mode: leave out --full")
    return arguments


def execute(path, arguments):
    """Executes a notebook and returns the number of its code cells."""
    notebook = nbformat.read(path, as_version=4)
    cells = [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    client = NotebookClient(
        notebook,
        kernel_name=kernel_name(notebook, arguments),
        timeout=arguments.timeout,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": os.path.dirname(os.path.abspath(path))}},
    )
    manager = client.create_kernel_manager()
    with tempfile.TemporaryDirectory(prefix="autoblm-") as temporary:
        # The variables of the kernel override those of this process.
        manager.kernel_spec.env.update(variables(arguments), TMPDIR=temporary)
        with open(os.path.join(temporary, "kernel.log"), "w+") as log:
            try:
                with client.setup_kernel(stdout=log, stderr=log):
                    for i, cell in cells:
                        execute_cell(client, cell, i)
            except (DeadKernelError, RuntimeError) as e:
                log.seek(0)
                raise CellFailure(f"kernel failed: {e}\n{log.read()[-2000:]}")
            finally:
                kill_group(manager.provisioner)
    if arguments.write:
        notebook.metadata["autoblm"] = {"code": digest(cell.source for _, cell in cells)}
        nbformat.write(notebook, path)
    return len(cells)


def check(path):
    """Fails if the outputs of a notebook belong to other code than its cells have."""
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    stored = notebook.metadata.get("autoblm", {}).get("code")
    executed = any(cell.outputs or cell.execution_count is not None for cell in cells)
    if executed and stored != digest(cell.source for cell in cells):
        raise CellFailure("outputs belong to other code; execute it with --write")
    return len(cells)


def kill_group(provisioner):
    """Kills a kernel that was interrupted while it started, which nbclient leaves running."""
    group = getattr(provisioner, "pgid", None)
    if group and group != os.getpgrp():
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


def kernel_name(notebook, arguments):
    if arguments.kernel:
        return arguments.kernel
    if (arguments.backend or "").startswith("xla"):
        return "autoblm-cuda"  # the cells of autoblm-cpu are built without XLA
    return notebook.metadata.kernelspec.name


def variables(arguments):
    """Returns the environment variables for the cells."""
    chosen = {"AUTOBLM_HEADLESS": "1"}
    if arguments.full:
        chosen["AUTOBLM_FULL"] = "1"
    if arguments.backend:
        chosen["AUTOBLM_BACKEND"] = arguments.backend
        if "PJRT_PLUGIN_LIBRARY_PATH" in os.environ:
            chosen["PJRT_PLUGIN_LIBRARY_PATH"] = os.environ["PJRT_PLUGIN_LIBRARY_PATH"]
    return chosen


def execute_cell(client, cell, index):
    try:
        client.execute_cell(cell, index)
    except CellExecutionError as e:
        raise CellFailure(f"cell {index + 1}: {e}")
    except CellTimeoutError:
        raise CellFailure(f"cell {index + 1}: exceeds --timeout {client.timeout:g}")
    for output in cell.outputs:
        if output.get("name") == "stderr" and FAILED_COMMAND.search(output.text):
            raise CellFailure(f"cell {index + 1}: a command failed:\n{output.text}")


def digest(sources):
    """Returns the digest of the code cells."""
    code = hashlib.sha256()
    for source in map(str.encode, sources):
        if source.strip():
            code.update(b"%d\n%s" % (len(source), source))
    return code.hexdigest()


def stop(number, frame):
    sys.exit(f"stopped by {signal.Signals(number).name}")


def main():
    arguments = parse_arguments()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)  # raises SystemExit, so the kernel is shut down
    failed = 0
    for path in arguments.notebooks:
        began = time.monotonic()
        try:
            cells = check(path) if arguments.check else execute(path, arguments)
            print(f"ok     {path}: {cells} code cells in {time.monotonic() - began:.1f} s")
        except NoSuchKernel as e:
            sys.exit(f"{e}; install it with: go run ./kernels install")
        except CellFailure as e:
            failed += 1
            print(f"FAILED {path}, {COLOR.sub('', str(e)).strip()}")
    if failed:
        sys.exit(f"{failed} of {len(arguments.notebooks)} notebooks failed")


if __name__ == "__main__":
    main()
