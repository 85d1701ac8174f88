#!/usr/bin/env python3
"""Reads policy documents into the SandboxPolicy message of the SDK, unknown fields refused.

    PYTHONPATH=DIR/sdk read-policies.py FILE...

Prints one line a file: `ok` and the document as the message gives it back, or `refused` and why.
"""
import json
import sys

from google.protobuf import json_format
from openshell._proto import sandbox_pb2


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key stands twice")
    return dict(pairs)


def read(path):
    with open(path, encoding="ascii") as file:
        document = json.load(file, object_pairs_hook=unique)
    # The one name that file and message do not share.
    document["filesystem"] = document.pop("filesystem_policy")
    message = json_format.ParseDict(document, sandbox_pb2.SandboxPolicy(), ignore_unknown_fields=False)
    back = json_format.MessageToDict(message, preserving_proto_field_name=True)
    back["filesystem_policy"] = back.pop("filesystem")
    return back


for name in sys.argv[1:]:
    try:
        print("ok " + json.dumps(read(name), sort_keys=True))
    except (ValueError, KeyError, json_format.ParseError) as error:
        print("refused " + str(error).replace("\n", " "))
