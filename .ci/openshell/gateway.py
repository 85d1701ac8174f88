#!/usr/bin/env python3
"""A stand-in OpenShell gateway for the real openshell CLI, version 0.0.111.

It answers the calls behind `sandbox create --detach`, `get`, `list`, `delete`, `exec`
and `policy set`, keeps sandboxes in memory, and writes every request that it sees as
one JSON line, so that a test can look at what really reached a gateway. It contains
nothing: `exec` runs the command on this host, as the gateway's shell would, in a
scratch directory. It listens on 127.0.0.1 only and stops by itself.

As a real gateway was seen to do, it has one workspace, `default`, knows nothing of any
other one but takes a delete there; adds `/var/log` to what a sandbox with a network rule
may read; and lets a global policy replace the one of every sandbox.

    gateway.py --requests FILE [--port 0] [--seconds 300] [--drop-no-login-shell] [--settings FILE]

With `--drop-no-login-shell` it leaves out a leading `--no-login-shell --` of a command.
That flag of 0.1.0 is not known to the CLI 0.0.111, which sends it as the command; so the
exec form of 0.1.0 can be run through this CLI.

`--settings` names a JSON file that a test may write and change: `looks`, how many times
`get` shows a sandbox that is created from now on as Provisioning; `phase`, what it shows
afterwards instead of READY; `create_fails`, true where a create ends before its sandbox
is ready.

The first line on standard output is the port. The message types come from the
`openshell` 0.0.111 package, which the script `install` in this folder brings.
"""
import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from concurrent import futures

import grpc
from google.protobuf import json_format
from openshell._proto import datamodel_pb2, openshell_pb2, openshell_pb2_grpc, sandbox_pb2

NAME_BYTES = 19
WORKSPACE = "default"
NO_LOGIN_SHELL = ["--no-login-shell", "--"]


def _in_force(policy):
    """The policy as the gateway keeps it."""
    kept = sandbox_pb2.SandboxPolicy()
    kept.CopyFrom(policy)
    if kept.network_policies and "/var/log" not in kept.filesystem.read_only:
        kept.filesystem.read_only.append("/var/log")
    return kept


def _require_workspace(request, context):
    if request.workspace != WORKSPACE:
        context.abort(grpc.StatusCode.NOT_FOUND, f"workspace '{request.workspace}' not found")


class Gateway(openshell_pb2_grpc.OpenShellServicer):
    def __init__(self, requests, drop_no_login_shell=False, settings=None):
        self._requests = requests
        self._drop_no_login_shell = drop_no_login_shell
        self._settings = settings
        self._looks = {}
        self._sandboxes = {}
        self._global_policy = None
        self._lock = threading.Lock()

    def _setting(self, name, default):
        if self._settings is None or not os.path.exists(self._settings):
            return default
        with open(self._settings, encoding="utf-8") as settings:
            return json.load(settings).get(name, default)

    def _record(self, call, request):
        with self._lock:
            line = {"call": call, "request": json_format.MessageToDict(request, preserving_proto_field_name=True)}
            self._requests.write(json.dumps(line) + "\n")
            self._requests.flush()

    def _named(self, request, context):
        _require_workspace(request, context)
        sandbox = self._sandboxes.get(request.name)
        if sandbox is None:
            context.abort(grpc.StatusCode.NOT_FOUND, "sandbox not found")
        return sandbox

    def _with_id(self, sandbox_id, context):
        for sandbox in list(self._sandboxes.values()):
            if sandbox.metadata.id == sandbox_id:
                return sandbox
        context.abort(grpc.StatusCode.NOT_FOUND, "sandbox not found")

    def Health(self, request, context):
        return openshell_pb2.HealthResponse(status=openshell_pb2.SERVICE_STATUS_HEALTHY, version="0.0.111")

    def CreateSandbox(self, request, context):
        self._record("CreateSandbox", request)
        _require_workspace(request, context)
        if len(request.name.encode()) > NAME_BYTES:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"name exceeds maximum length ({NAME_BYTES})")
        if request.name in self._sandboxes:
            context.abort(grpc.StatusCode.ALREADY_EXISTS, f"sandbox '{request.name}' already exists")
        # The CLI waits for a sandbox that is not ready yet, and fails where it hears no more of it.
        phase = "PROVISIONING" if self._setting("create_fails", False) else "READY"
        sandbox = openshell_pb2.Sandbox(
            metadata=datamodel_pb2.ObjectMeta(
                id=str(uuid.uuid4()), name=request.name, workspace=request.workspace,
                created_at_ms=int(time.time() * 1000), labels=dict(request.labels), resource_version=1),
            spec=request.spec,
            status=openshell_pb2.SandboxStatus(
                sandbox_name=request.name, phase="SANDBOX_PHASE_" + phase, current_policy_version=1))
        sandbox.spec.policy.CopyFrom(_in_force(request.spec.policy))
        self._looks[sandbox.metadata.id] = self._setting("looks", 0)
        self._sandboxes[request.name] = sandbox
        return openshell_pb2.SandboxResponse(sandbox=sandbox)

    def GetSandbox(self, request, context):
        self._record("GetSandbox", request)
        shown = openshell_pb2.Sandbox()
        shown.CopyFrom(self._named(request, context))
        provisioning = self._looks[shown.metadata.id] > 0
        phase = "PROVISIONING" if provisioning else self._setting("phase", "READY")
        shown.status.phase = openshell_pb2.SandboxPhase.Value("SANDBOX_PHASE_" + phase)
        return openshell_pb2.SandboxResponse(sandbox=shown)

    def GetSandboxConfig(self, request, context):
        self._record("GetSandboxConfig", request)
        sandbox = self._with_id(request.sandbox_id, context)
        # Of the calls of this CLI only get asks for this, after the sandbox itself.
        self._looks[request.sandbox_id] -= 1
        if self._global_policy is None:
            policy, source = sandbox.spec.policy, sandbox_pb2.POLICY_SOURCE_SANDBOX
        else:
            policy, source = self._global_policy, sandbox_pb2.POLICY_SOURCE_GLOBAL
        return sandbox_pb2.GetSandboxConfigResponse(policy=policy, version=1, policy_source=source)

    def UpdateConfig(self, request, context):
        self._record("UpdateConfig", request)
        if getattr(request, "global"):
            self._global_policy = request.policy
        else:
            self._named(request, context).spec.policy.CopyFrom(_in_force(request.policy))
        return openshell_pb2.UpdateConfigResponse(version=2)

    def ListSandboxes(self, request, context):
        self._record("ListSandboxes", request)
        _require_workspace(request, context)
        wanted = dict(pair.split("=", 1) for pair in request.label_selector.split(",") if pair)
        found = [s for s in list(self._sandboxes.values()) if wanted.items() <= dict(s.metadata.labels).items()]
        limit = request.limit or 100
        return openshell_pb2.ListSandboxesResponse(sandboxes=found[request.offset:request.offset + limit])

    def DeleteSandbox(self, request, context):
        self._record("DeleteSandbox", request)
        found = self._sandboxes.pop(request.name, None) if request.workspace == WORKSPACE else None
        return openshell_pb2.DeleteSandboxResponse(deleted=found is not None)

    def WatchSandbox(self, request, context):
        self._record("WatchSandbox", request)
        if self._setting("create_fails", False):
            return
        yield openshell_pb2.SandboxStreamEvent(sandbox=self._with_id(request.id, context))

    def ExecSandbox(self, request, context):
        self._record("ExecSandbox", request)
        self._with_id(request.sandbox_id, context)
        command = list(request.command)
        if self._drop_no_login_shell and command[:2] == NO_LOGIN_SHELL:
            command = command[2:]
        with tempfile.TemporaryDirectory() as scratch:
            child = subprocess.Popen(
                ["/bin/bash", "-c", shlex.join(command)], cwd=scratch, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": "/usr/bin:/bin", "TERM": "dumb"})
            context.add_callback(child.kill)
            out, err = child.communicate(request.stdin)
        for start in range(0, len(out), 16384):
            yield openshell_pb2.ExecSandboxEvent(
                stdout=openshell_pb2.ExecSandboxStdout(data=out[start:start + 16384]))
        for start in range(0, len(err), 16384):
            yield openshell_pb2.ExecSandboxEvent(
                stderr=openshell_pb2.ExecSandboxStderr(data=err[start:start + 16384]))
        code = child.returncode if child.returncode >= 0 else 128 - child.returncode
        yield openshell_pb2.ExecSandboxEvent(exit=openshell_pb2.ExecSandboxExit(exit_code=code))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", required=True, help="file for the requests, one JSON line each")
    parser.add_argument("--port", type=int, default=0, help="0: any free port")
    parser.add_argument("--seconds", type=float, default=300, help="stop after this long")
    parser.add_argument("--drop-no-login-shell", action="store_true", help="leave out that flag, sent as a command's start")
    parser.add_argument("--settings", help="JSON file with what a test sets")
    args = parser.parse_args()
    with open(args.requests, "a", encoding="utf-8") as requests:
        server = grpc.server(futures.ThreadPoolExecutor(max_workers=32))
        gateway = Gateway(requests, args.drop_no_login_shell, args.settings)
        openshell_pb2_grpc.add_OpenShellServicer_to_server(gateway, server)
        port = server.add_insecure_port(f"127.0.0.1:{args.port}")
        if port == 0:
            sys.exit("cannot listen on 127.0.0.1")
        server.start()
        print(port, flush=True)
        stop = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        stop.wait(args.seconds)
        server.stop(grace=1).wait()


if __name__ == "__main__":
    main()
